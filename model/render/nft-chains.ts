/**
 * Base chains of the node's nft table. The segment filter runs before connection tracking and before the raw chains
 * of others (-300): what it drops must not leave a trace. Reply marks need connection tracking (-200) and must be there
 * when the packet is routed; in output only a chain of type `route` has the packet routed again. The clamp of the segment size
 * stands where packets come from the interface and leave by it: forward would miss what IPVS sends, which goes through output.
 */
export const nftChains = {
  segment: "type filter hook prerouting priority -310; policy accept;",
  forward: "type filter hook forward priority -10; policy accept;",
  mark_input: "type filter hook prerouting priority mangle; policy accept;",
  mark_output: "type route hook output priority mangle; policy accept;",
  clamp_input: "type filter hook prerouting priority mangle; policy accept;",
  clamp_output: "type filter hook postrouting priority mangle; policy accept;",
} as const;

export type NftChain = keyof typeof nftChains;

export const addressKeyword = { 4: "ip", 6: "ip6" } as const;

export interface NftRule {
  readonly chain: NftChain;
  /** The rule without its chain, as `nft` reads it. */
  readonly text: string;
}
