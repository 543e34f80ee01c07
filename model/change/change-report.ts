import type { Configuration } from "../configuration/configuration.js";
import { type PlanStep, stepsOf } from "../diff/diff-plan.js";
import type { Interruption } from "../diff/interruptions.js";
import { type Operation, renderOperation } from "../diff/operation.js";
import { type PlanChange, planChange } from "../diff/plan-change.js";
import { canonicalJson } from "../kubernetes/canonical-json.js";
import type { NodePlan } from "../node-plan/node-plan.js";
import { assumedNodes } from "./assumed-nodes.js";
import { type ConfigurationDifference, configurationDifferences } from "./configuration-differences.js";
import { type MadeUpValues, madeUpValues, noMadeUpValues } from "./made-up-values.js";
import { type NetworkCondition, planConditions } from "./network-condition.js";

/** What a new configuration changes. */
export interface ChangeReport {
  readonly differences: readonly ConfigurationDifference[];
  /** How many kinds of nodes carry different networks; 1 without any nodeSelector, and for a node that is known. */
  readonly nodeKinds: number;
  /** Those on which something changes. */
  readonly nodes: readonly NodeChange[];
}

/** What it changes on a node, or on the nodes of one kind, that carries the old configuration. */
export interface NodeChange {
  /** Of the nodes that are meant; absent where the report is about one node that is known. */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly interruptions: readonly Interruption[];
  /** In the order in which they happen. None where only the agent's BGP or announcements change. */
  readonly steps: readonly ChangeStep[];
  /** Of assumed nodes; those of a known node stand in the report itself. */
  readonly conditions: readonly NetworkCondition[];
}

export interface ChangeStep extends Pick<PlanStep, "kind" | "network"> {
  readonly commands: readonly string[];
}

/**
 * On any node: on each kind of node that the configurations tell apart, with variables for what only the node knows.
 * @param render of a command
 */
export function changeAnywhere(
  old: Configuration,
  now: Configuration,
  render: (operation: Operation) => string = renderOperation,
): ChangeReport {
  const kinds = assumedNodes([old, now])
    .map((facts) => ({ facts, change: planChange(old, now, facts) }))
    .filter(({ change }) => carriesAny(change.before) || carriesAny(change.after));
  const nodes = kinds.flatMap(({ facts, change }) =>
    nodeChange(change, madeUpValues(change, facts), render).map(
      (node): NodeChange => ({ ...node, nodeLabels: facts.labels, conditions: planConditions(change.after) }),
    ),
  );
  return { differences: configurationDifferences(old, now), nodeKinds: kinds.length, nodes };
}

function carriesAny({ networks, unplanned }: NodePlan): boolean {
  return networks.length > 0 || unplanned.length > 0;
}

/** On a node that is known. */
export function changeOnNode(old: Configuration, now: Configuration, change: PlanChange): ChangeReport {
  const nodes = nodeChange(change, noMadeUpValues, renderOperation);
  return { differences: configurationDifferences(old, now), nodeKinds: 1, nodes };
}

/** Empty where nothing changes. */
function nodeChange(
  { before, after, diff, interruptions }: PlanChange,
  madeUp: MadeUpValues,
  render: (operation: Operation) => string,
): readonly [] | readonly [NodeChange] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [
    {
      interruptions: interruptions.map((interruption) => ({
        ...interruption,
        message: madeUp.message(interruption.message),
      })),
      steps: stepsOf(diff).map(({ operations, ...step }) => ({
        ...step,
        commands: operations.map((operation) => render(madeUp.operation(operation))),
      })),
      conditions: [],
    },
  ];
}
