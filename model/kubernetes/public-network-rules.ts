import type { JsonSchema } from "../json-schema/json-schema.js";
import { ipv6MinimumMtu } from "../numbers/limits.js";
import { largestTwoByteAsn } from "../numbers/route-targets.js";
import { reservedTables } from "../numbers/routing-table.js";
import {
  addressOrPrefixRules,
  addressRules,
  asnRules,
  explicitRouteTargetRules,
  filePathRules,
  interfaceNameRules,
  labelKeysRules,
  labelValueRules,
  networkNameRules,
  nodeNameRules,
  prefixRules,
  routeDistinguisherRules,
  routerIdRules,
  routeTargetRules,
} from "./cel-rules.js";
import { type CelRule, type RulesAt, withRules } from "./structural-schema.js";

/** Without 0, which no range allows. */
const reserved = `[${[...reservedTables.keys()].filter((table) => table !== 0).join(", ")}]`;

/** Table numbers are the segment's unless every subnet names another. */
const ownTables = "self.routing.all(subnet, has(subnet.table))";

const unionRules: readonly CelRule[] = (["vxlan", "vlan"] as const).map((type) => ({
  rule: `(self.type == '${type}') == has(self.${type})`,
  message: `belongs to type ${type} and is required there`,
  fieldPath: `.${type}`,
}));

/** The segment is what the network is: interface and table on every node are named after it. */
const unchangingRules: readonly CelRule[] = [
  { rule: "self == oldSelf", message: "cannot change; delete the network and create another one" },
];

const segmentRules: readonly CelRule[] = [
  {
    rule: `!has(self.vxlan) || !(self.vxlan.vni in ${reserved}) || ${ownTables}`,
    message: "is a routing table of the kernel; set routing.table",
    fieldPath: ".vxlan.vni",
  },
  {
    rule: `!has(self.vlan) || !(self.vlan.id in ${reserved}) || ${ownTables}`,
    message: "is a routing table of the kernel; set routing.table",
    fieldPath: ".vlan.id",
  },
];

/** Without the IPv6 subnets of which something else is wrong. */
const withoutIpv6 = "self.routing.all(subnet, !isCIDR(subnet.cidr) || cidr(subnet.cidr).ip().family() == 4)";

const mtuRules: readonly CelRule[] = (["vxlan", "vlan"] as const).map((type) => ({
  rule: `!has(self.${type}) || !has(self.${type}.mtu) || self.${type}.mtu >= ${ipv6MinimumMtu} || ${withoutIpv6}`,
  message: `is less than IPv6 runs on (RFC 8200 section 5); write ${ipv6MinimumMtu} or more, or leave the IPv6 subnet out`,
  fieldPath: `.${type}.mtu`,
}));

const vxlanRules: readonly CelRule[] = [
  {
    rule: "has(self.bgp) || has(self.remotes)",
    message: "without bgp there is nobody to flood to; write bgp, or remotes with the addresses of the other VTEPs",
  },
  {
    rule: "!(has(self.bgp) && has(self.remotes))",
    message: "is not used beside bgp, which learns the other VTEPs from Type-3 routes; remove remotes or bgp",
    fieldPath: ".remotes",
  },
];

const bgpRules: readonly CelRule[] = [
  {
    rule:
      "(has(self.routeTarget) && self.routeTarget != 'rfc8365') || " +
      `(self.myAsn <= ${largestTwoByteAsn} && (has(self.importRouteTargets) || self.peerAsn <= ${largestTwoByteAsn}))`,
    message: `is needed beside an AS number over ${largestTwoByteAsn}: write the fabric's own, such as 65001:228, or frr, which keeps the last two bytes of the AS`,
    fieldPath: ".routeTarget",
  },
];

const tableRules: readonly CelRule[] = [
  { rule: `!(self in ${reserved})`, message: "is a routing table of the kernel; choose another number" },
];

/** What is wrong with one of the two is said there. */
const readable = "isCIDR(self.cidr) && isIP(self.gateway)";
const sameFamily = "cidr(self.cidr).ip().family() == ip(self.gateway).family()";
/** The default route names its interface, so a link-local router is as good as any (RFC 4861 section 6.3.4). */
const linkLocalRouter = "ip(self.gateway).family() == 6 && ip(self.gateway).isLinkLocalUnicast()";

const subnetRules: readonly CelRule[] = [
  {
    rule: `!(${readable}) || ${sameFamily}`,
    message: "is not of the family of cidr; write a gateway of the same family",
    fieldPath: ".gateway",
  },
  {
    rule:
      `!(${readable} && ${sameFamily}) || self.onlink || (${linkLocalRouter}) || ` +
      "cidr(self.cidr).containsIP(ip(self.gateway))",
    message: "is not inside cidr; set onlink if the router is reachable on this segment",
    fieldPath: ".gateway",
  },
];

const rules: readonly RulesAt[] = [
  { place: [], rules: [...unionRules, ...segmentRules, ...mtuRules] },
  { place: ["type"], rules: unchangingRules },
  { place: ["nodeSelector"], rules: labelKeysRules },
  { place: ["nodeSelector", "{}"], rules: labelValueRules },
  { place: ["vxlan"], rules: vxlanRules },
  { place: ["vxlan", "vni"], rules: unchangingRules },
  { place: ["vxlan", "nodeNet"], rules: prefixRules },
  { place: ["vxlan", "nodeInterface"], rules: interfaceNameRules },
  { place: ["vxlan", "remotes", "[]"], rules: addressRules },
  { place: ["vxlan", "bgp"], rules: bgpRules },
  { place: ["vxlan", "bgp", "myAsn"], rules: asnRules },
  { place: ["vxlan", "bgp", "peerAsn"], rules: asnRules },
  { place: ["vxlan", "bgp", "peers", "[]"], rules: addressRules },
  { place: ["vxlan", "bgp", "sourceAddress"], rules: addressOrPrefixRules },
  { place: ["vxlan", "bgp", "passwordFile"], rules: filePathRules },
  { place: ["vxlan", "bgp", "routeTarget"], rules: routeTargetRules },
  { place: ["vxlan", "bgp", "importRouteTargets", "[]"], rules: explicitRouteTargetRules },
  { place: ["vxlan", "bgp", "routeDistinguisher"], rules: routeDistinguisherRules },
  { place: ["vxlan", "bgp", "routerId"], rules: routerIdRules },
  { place: ["vlan", "id"], rules: unchangingRules },
  { place: ["vlan", "parent"], rules: interfaceNameRules },
  { place: ["routing", "[]"], rules: subnetRules },
  { place: ["routing", "[]", "cidr"], rules: prefixRules },
  { place: ["routing", "[]", "gateway"], rules: addressRules },
  { place: ["routing", "[]", "table"], rules: tableRules },
  { place: ["routing", "[]", "replaces"], rules: networkNameRules },
  { place: ["routing", "[]", "staticAddresses", "[]", "address"], rules: addressRules },
  { place: ["routing", "[]", "staticAddresses", "[]", "node"], rules: nodeNameRules },
];

/**
 * What the API server can see in one object. What stands between networks, or between a network and the cluster, the
 * agent checks, with everything else once more: an object may be older than its rules.
 */
export function withPublicNetworkRules(spec: JsonSchema): JsonSchema {
  return withRules(spec, rules);
}
