import type { TestContext } from "node:test";
import type { Operation, Program } from "./scenario.js";

/** What a step came to. */
export interface Outcome {
  /** Nothing when the program never came to the resource. */
  readonly does?: Operation;
  /** What the person is told of failures; empty when there are none. */
  readonly refuses: string;
  /** The network's properties; in a preview the unknown value stands for what is not known. */
  readonly shows: Readonly<Record<string, unknown>>;
  /** What the provider printed. */
  readonly says: string;
}

/** One empty stack whose program declares at most one network. */
export interface BehaviourStack {
  /** @param program of this step; nothing when it declares no network */
  preview(program: Program | undefined): Promise<Outcome>;
  up(program: Program | undefined): Promise<Outcome>;
  refresh(): Promise<Outcome>;
  destroy(): Promise<Outcome>;
}

/** A way to run steps. It knows nothing of scenarios. */
export interface Driver {
  readonly name: string;
  /** Makes a stack for one test. */
  stack(context: TestContext, kubeconfig: string): Promise<BehaviourStack>;
}
