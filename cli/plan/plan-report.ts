import { type Configuration, type NodeFacts, planChange, planNode } from "../../model/index.js";
import { type ChangeReport, changeAnywhere, changeOnNode } from "./change-report.js";
import type { InputMistake } from "./input-mistake.js";
import { configuredNetworks, type NetworkReport, plannedNetworks } from "./network-report.js";

/** Everything that one run of `plan` has to say. */
export interface PlanReport {
  /** With mistakes there is nothing else to say. */
  readonly errors: readonly InputMistake[];
  readonly warnings: readonly InputMistake[];
  /** Name of the node that the plan is made for. */
  readonly node?: string;
  readonly networks: readonly NetworkReport[];
  readonly change?: ChangeReport;
}

/** The configuration that is carried until now. */
export interface OldConfiguration {
  readonly file: string;
  readonly configuration: Configuration;
}

/** Of configurations without mistakes. */
export function reportOf(
  wanted: Configuration,
  facts: NodeFacts | undefined,
  old: OldConfiguration | undefined,
): Omit<PlanReport, "errors" | "warnings"> {
  if (facts === undefined) {
    const networks = configuredNetworks(wanted);
    return old === undefined ? { networks } : { networks, change: changeAnywhere(old.configuration, wanted, old.file) };
  }
  const node = facts.nodeName;
  if (old === undefined) return { node, networks: plannedNetworks(wanted, planNode(wanted, facts), facts) };
  const change = planChange(old.configuration, wanted, facts);
  return {
    node,
    networks: plannedNetworks(wanted, change.after, facts),
    change: changeOnNode(old.configuration, wanted, old.file, change),
  };
}
