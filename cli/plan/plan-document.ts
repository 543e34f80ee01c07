import type {
  ChangeStep,
  ConfigurationDifference,
  Interruption,
  NetworkCondition,
  NodeChange,
} from "../../model/index.js";
import type { InputMistake } from "./input-mistake.js";
import type { NetworkNumbers } from "./network-numbers.js";
import type { PlanReport } from "./plan-report.js";

/** The document of `--json`: a contract with scripts, so keys are only ever added. Lists are there in every outcome. */
export interface PlanDocument {
  readonly errors: readonly DocumentMistake[];
  readonly warnings: readonly DocumentMistake[];
  readonly networks: readonly DocumentNetwork[];
  /** Make all networks on a node that has none of them, in the order of `networks`. */
  readonly commands: readonly string[];
  /** What the new configuration says otherwise than the old one; empty without `--from`, as the next two. */
  readonly differences: readonly ConfigurationDifference[];
  /** What a node that carries the old configuration has to do, in order. */
  readonly changes: readonly (ChangeStep & NodeKind)[];
  readonly interruptions: readonly (Interruption & NodeKind)[];
  readonly conditions: readonly (NetworkCondition & NodeKind)[];
  /** With `--node`. */
  readonly node?: string;
}

/** Without `--node`: the labels of the nodes that are meant, which are those of a nodeSelector; none for all others. */
type NodeKind = Pick<NodeChange, "nodeLabels">;

interface DocumentMistake {
  readonly code: string;
  readonly path: string;
  /** `null` where nothing stands. */
  readonly value: unknown;
  readonly message: string;
  readonly remedy: string;
  readonly line?: number;
  readonly column?: number;
  /** Where it is not the configuration. */
  readonly file?: string;
}

interface DocumentNetwork extends NetworkNumbers {
  /** With `--node`: whether that node carries it. */
  readonly planned?: boolean;
}

/** @param config the configuration's file as it was named on the command line */
export function planDocument(report: PlanReport, config: string): PlanDocument {
  const { errors, warnings, node, networks, change } = report;
  const nodes = change?.nodes ?? [];
  return {
    errors: errors.map((mistake) => documentMistake(mistake, config)),
    warnings: warnings.map((mistake) => documentMistake(mistake, config)),
    networks: networks.map(({ numbers, state }) =>
      node === undefined ? numbers : { ...numbers, planned: state === "planned" },
    ),
    commands: networks.flatMap(({ commands }) => commands),
    differences: change?.differences ?? [],
    changes: nodes.flatMap((entry) => entry.steps.map((step) => ({ ...nodeKind(entry), ...step }))),
    interruptions: nodes.flatMap((entry) => entry.interruptions.map((other) => ({ ...nodeKind(entry), ...other }))),
    conditions: [
      ...networks.flatMap(({ conditions }) => conditions),
      ...nodes.flatMap((entry) => entry.conditions.map((condition) => ({ ...nodeKind(entry), ...condition }))),
    ],
    ...(node === undefined ? {} : { node }),
  };
}

function nodeKind({ nodeLabels }: NodeChange): NodeKind {
  return nodeLabels === undefined ? {} : { nodeLabels };
}

function documentMistake(
  { code, path, value, message, remedy, line, column, file }: InputMistake,
  config: string,
): DocumentMistake {
  return {
    code,
    path,
    value: value ?? null,
    message,
    remedy,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(file === config ? {} : { file }),
  };
}
