import type { InputMistake } from "./input-mistake.js";
import type { NetworkNumbers } from "./network-numbers.js";
import type { NetworkReport, ReportedCondition } from "./network-report.js";

/** Everything that one run of `plan` has to say. */
export interface PlanReport {
  /** With mistakes there is nothing else to say. */
  readonly errors: readonly InputMistake[];
  readonly warnings: readonly InputMistake[];
  /** Name of the node that the plan is made for. */
  readonly node?: string;
  readonly networks: readonly NetworkReport[];
}

/** The document of `--json`: a contract with scripts, so keys are only ever added. */
export interface PlanDocument {
  readonly errors: readonly DocumentMistake[];
  readonly warnings: readonly DocumentMistake[];
  readonly networks: readonly DocumentNetwork[];
  /** Of all networks, in the order of `networks`. */
  readonly commands: readonly string[];
  /** With `--node`. */
  readonly node?: string;
  /** With `--node`. */
  readonly conditions?: readonly (ReportedCondition & { readonly network: string })[];
}

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
  const { errors, warnings, node, networks } = report;
  const mistake = ({ code, path, value, message, remedy, line, column, file }: InputMistake): DocumentMistake => ({
    code,
    path,
    value: value ?? null,
    message,
    remedy,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(file === config ? {} : { file }),
  });
  return {
    errors: errors.map(mistake),
    warnings: warnings.map(mistake),
    networks: networks.map(({ numbers, state }) =>
      node === undefined ? numbers : { ...numbers, planned: state === "planned" },
    ),
    commands: networks.flatMap(({ commands }) => commands),
    ...(node === undefined ? {} : { node, conditions: networks.flatMap(namedConditions) }),
  };
}

function namedConditions({
  numbers,
  conditions,
}: NetworkReport): readonly (ReportedCondition & { readonly network: string })[] {
  return conditions.map((condition) => ({ network: numbers.name, ...condition }));
}
