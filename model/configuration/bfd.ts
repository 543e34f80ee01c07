import type { Bfd, Bgp } from "./configuration.js";

/** BFD of a network's sessions; see {@link Bfd} for the fields. */
export type BfdPlan = Omit<Bfd, "enabled">;

/** What BFD is where it is on; undefined where it is off or not written. */
export function activeBfd({ bfd }: Pick<Bgp, "bfd">): BfdPlan | undefined {
  if (bfd?.enabled !== true) return undefined;
  const { minTxInterval, minRxInterval, multiplier, multihop } = bfd;
  return { minTxInterval, minRxInterval, multiplier, ...(multihop === undefined ? {} : { multihop }) };
}

/** For people; equal texts are equal plans. */
export function showBfd(bfd: BfdPlan | undefined): string {
  if (bfd === undefined) return "off";
  const { minTxInterval, minRxInterval, multiplier, multihop } = bfd;
  const hops = multihop === undefined ? "" : multihop ? ", multihop" : ", not multihop";
  return `${minTxInterval}/${minRxInterval} ms x ${multiplier}${hops}`;
}
