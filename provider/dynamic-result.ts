import type { CheckFailure } from "./check-failure.js";

/**
 * Results of the methods of a Pulumi dynamic provider, as `@pulumi/pulumi/dynamic` types them. `undefined` must stand
 * nowhere in them: the engine's encoder refuses it (pulumi/pulumi#2205).
 */
export interface CheckResult<Inputs> {
  readonly inputs: Inputs;
  readonly failures: CheckFailure[];
}

/** `changes` is never set: then the engine compares the inputs itself and names each key that differs. */
export interface DiffResult {
  readonly replaces?: string[];
  readonly deleteBeforeReplace?: boolean;
}

export interface CreateResult<Outputs> {
  readonly id: string;
  readonly outs: Outputs;
}

export interface UpdateResult<Outputs> {
  readonly outs: Outputs;
}

/** An empty id says that the resource is gone. */
export interface ReadResult<Inputs, Outputs> {
  readonly id: string;
  readonly props?: Outputs;
  readonly inputs?: Inputs;
}
