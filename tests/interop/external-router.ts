/**
 * FRR's configuration of a leaf or spine with external neighbours (eBGP). RFC 8212: without a policy their routes are neither taken
 * nor sent, unless told otherwise.
 *
 * @param neighbours AS by address
 * @param options lines for each neighbour in the EVPN family, such as `allowas-in 1`
 */
export function externalRouter(
  asn: number,
  address: string,
  neighbours: Readonly<Record<string, number>>,
  options: readonly string[] = [],
): string {
  const remotes = Object.entries(neighbours);
  return `router bgp ${asn}
 bgp router-id ${address}
 no bgp default ipv4-unicast
 no bgp ebgp-requires-policy
${remotes
  .map(([neighbour, remote]) => ` neighbor ${neighbour} remote-as ${remote}\n neighbor ${neighbour} timers connect 1`)
  .join("\n")}
 address-family l2vpn evpn
${remotes
  .flatMap(([neighbour]) => ["activate", ...options].map((option) => `  neighbor ${neighbour} ${option}`))
  .join("\n")}
  advertise-all-vni
 exit-address-family
`;
}
