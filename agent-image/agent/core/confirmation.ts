import type { CarriedNetwork } from "./carried-network.js";

/** Milliseconds between two rounds of probes while a change is on trial. */
export const roundPeriod = 500;
/** Rounds in a row in which every probe must answer: the first may still meet a connection or an ARP entry from before. */
const roundsToConfirm = 2;
/** Did the probe answer, by its name. */
export type ProbeResults = ReadonlyMap<string, boolean>;

/** A change that stands in the kernel and is not confirmed yet. */
export interface Trial {
  readonly kind: "trial";
  readonly before: readonly CarriedNetwork[];
  readonly target: readonly CarriedNetwork[];
  /** Probes that answered before the change. Only they count: nobody can lose what he did not have. */
  readonly goodBefore: readonly string[];
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly goodRounds: number;
}

/** The node went back to what it carried before, to see whether that helps. */
export interface Return {
  readonly kind: "return";
  readonly before: readonly CarriedNetwork[];
  readonly target: readonly CarriedNetwork[];
  readonly failed: readonly string[];
  /** Monotonic milliseconds. */
  readonly since: number;
}

export type Verdict =
  | { readonly kind: "wait"; readonly state: Trial | Return }
  /** Everything that answered before answers again. */
  | { readonly kind: "confirm" }
  | { readonly kind: "goBack"; readonly state: Return }
  /** Going back helped: the change cut the node off. */
  | { readonly kind: "reject"; readonly failed: readonly string[] }
  /** Going back did not help: the cause is elsewhere, and the change is applied again. */
  | { readonly kind: "applyAgain"; readonly failed: readonly string[] };

/**
 * What follows from a round of probes.
 *
 * @param results probes that do not exist in what is carried now are absent and do not count
 * @param now monotonic milliseconds
 * @param patience milliseconds that a change may take until everything answers again (a gateway is learned anew behind a
 * new interface), and in which going back must help
 */
export function judge(state: Trial | Return, results: ProbeResults, now: number, patience: number): Verdict {
  const silent = (names: readonly string[]) => names.filter((name) => results.get(name) === false);
  if (state.kind === "return") {
    const still = silent(state.failed);
    if (still.length === 0) return { kind: "reject", failed: state.failed };
    return now - state.since < patience ? { kind: "wait", state } : { kind: "applyAgain", failed: still };
  }
  const { before, target, goodBefore, since } = state;
  const failed = silent(goodBefore);
  if (failed.length === 0) {
    const goodRounds = state.goodRounds + 1;
    return goodRounds >= roundsToConfirm ? { kind: "confirm" } : { kind: "wait", state: { ...state, goodRounds } };
  }
  return now - since < patience
    ? { kind: "wait", state: { ...state, goodRounds: 0 } }
    : { kind: "goBack", state: { kind: "return", before, target, failed, since: now } };
}

/** Networks of `target` that `before` does not hold in that revision. */
export function changedNetworks(
  before: readonly CarriedNetwork[],
  target: readonly CarriedNetwork[],
): readonly CarriedNetwork[] {
  const revisions = new Map(before.map(({ uid, revision }) => [uid, revision]));
  return target.filter(({ uid, revision }) => revisions.get(uid) !== revision);
}

/** Networks of which some revision is wanted. One that is removed goes: removal is not on trial. */
export function stillDeclared(
  networks: readonly CarriedNetwork[],
  wanted: readonly CarriedNetwork[],
): readonly CarriedNetwork[] {
  const uids = new Set(wanted.map(({ uid }) => uid));
  return networks.filter(({ uid }) => uids.has(uid));
}
