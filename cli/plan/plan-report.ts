import {
  type ChangeReport,
  type Configuration,
  changeAnywhere,
  changeOnNode,
  type NodeFacts,
  planChange,
  planNode,
} from "../../model/index.js";
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
  readonly change?: ChangeOfFile;
}

export interface ChangeOfFile extends ChangeReport {
  /** File of the old configuration, as it was named on the command line. */
  readonly from: string;
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
    if (old === undefined) return { networks };
    return { networks, change: { from: old.file, ...changeAnywhere(old.configuration, wanted) } };
  }
  const node = facts.nodeName;
  if (old === undefined) return { node, networks: plannedNetworks(wanted, planNode(wanted, facts), facts) };
  const change = planChange(old.configuration, wanted, facts);
  return {
    node,
    networks: plannedNetworks(wanted, change.after, facts),
    change: { from: old.file, ...changeOnNode(old.configuration, wanted, change) },
  };
}
