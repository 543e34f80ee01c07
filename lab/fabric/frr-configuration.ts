import { asn, nodeNames, type ReflectorName, reflectorNames, underlay } from "../topology.js";

/** Keepalive and hold time in seconds: a node that is cut off is noticed within ten seconds. */
const TIMERS = "3 9";
/** Seconds between two attempts to reach the other reflector; FRR's 120 would be most of a test. */
const CONNECT_RETRY = 1;
/** One cluster for both reflectors, RFC 4456 section 7: what one has reflected the other does not take again. */
const CLUSTER_ID = underlay.reflectors.rr1;

/** zebra's configuration: the kernel and the defaults say all the rest. */
export function zebraConfiguration(name: ReflectorName): string {
  return `hostname ${name}\n`;
}

/**
 * bgpd's configuration of a route reflector that is a leaf VTEP too. Nodes are dynamic neighbours: they connect, and a
 * reflector that waits for them cannot collide with their attempts.
 */
export function bgpdConfiguration(name: ReflectorName): string {
  const others = reflectorNames.filter((other) => other !== name).map((other) => underlay.reflectors[other]);
  return `hostname ${name}
router bgp ${asn}
 bgp router-id ${underlay.reflectors[name]}
 bgp cluster-id ${CLUSTER_ID}
 bgp log-neighbor-changes
 no bgp default ipv4-unicast
 neighbor NODES peer-group
 neighbor NODES remote-as ${asn}
 neighbor NODES timers ${TIMERS}
 neighbor NODES passive
${nodeNames.map((node) => ` bgp listen range ${underlay.nodes[node]}/32 peer-group NODES`).join("\n")}
${others
  .map(
    (other) => ` neighbor ${other} remote-as ${asn}
 neighbor ${other} timers ${TIMERS}
 neighbor ${other} timers connect ${CONNECT_RETRY}`,
  )
  .join("\n")}
 address-family l2vpn evpn
  neighbor NODES activate
  neighbor NODES route-reflector-client
${others.map((other) => `  neighbor ${other} activate`).join("\n")}
  advertise-all-vni
 exit-address-family
`;
}
