import type { NetworkSpec } from "../../../model/index.js";
import type { ReportOptions } from "../network-fixtures.js";

/** Arguments of the PublicNetwork component of a program, without the cluster; `later` stands for an Output. */
export type Program = Readonly<Record<string, unknown>> & { readonly name: string };

/** A value that a program knows at deployment only. */
export interface Later {
  readonly later: unknown;
}

export function later(value: unknown): Later {
  return { later: value };
}

/** What happens in the cluster between two steps. */
export interface ClusterChange {
  /** What agents report instead of a healthy state, by node; `absent` for a node without an agent. */
  readonly reports?: Readonly<Record<string, ReportOptions | "absent">>;
  /** How often the reports are read until every agent is healthy; never by default. */
  readonly healthyAfterReads?: number;
  /** Nodes that Kubernetes does not hear from. */
  readonly away?: readonly string[];
  /** A PublicNetwork that another stack applies. */
  readonly foreign?: { readonly name: string; readonly owner: string; readonly spec: NetworkSpec };
  /** Somebody edits the object of this name. */
  readonly edited?: { readonly name: string; readonly spec: NetworkSpec };
}

/** What becomes of the network's resource, in the engine's words (pulumi/pulumi sdk/go/common/apitype/events.go). */
export type Operation = "create" | "update" | "replace" | "delete" | "same";

/** What a step must come to. What is left out may be anything. */
export interface Expectation {
  readonly does?: Operation;
  /** Parts of what the person is told when it fails; a step without them must not fail. */
  readonly refuses?: readonly string[];
  /** Properties of the network: as preview shows them, else as the state holds them. */
  readonly shows?: Readonly<Record<string, unknown>>;
  /** Lines that the provider prints. */
  readonly says?: readonly string[];
  /** Every PublicNetwork of the cluster afterwards by name, with a part of its specification. */
  readonly cluster: Readonly<Record<string, object>>;
}

export interface Step {
  readonly run: "preview" | "up" | "refresh" | "destroy";
  readonly meanwhile?: ClusterChange;
  /** The program from now on; `none` for one without the network. */
  readonly program?: Program | "none";
  readonly expect: Expectation;
}

/** One course of events, told once and played by every driver. */
export interface BehaviourScenario {
  readonly name: string;
  /** On the real engine too whenever tests run; there the others are played at night, as they take minutes. */
  readonly everyRun?: true;
  /** Each begins where the one before ended: three nodes with healthy agents, a VlanRouter, no network, an empty stack. */
  readonly steps: readonly Step[];
}

export function isLater(value: unknown): value is Later {
  return typeof value === "object" && value !== null && "later" in value;
}
