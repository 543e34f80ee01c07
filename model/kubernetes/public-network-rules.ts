import { asnRange } from "../numbers/limits.js";
import { largestTwoByteAsn } from "../numbers/route-targets.js";
import { reservedTables } from "../numbers/routing-table.js";
import type { CelRule, JsonSchema } from "./structural-schema.js";
import { withRules } from "./structural-schema.js";

/** Without 0, which no range allows. */
const reserved = `[${[...reservedTables.keys()].filter((table) => table !== 0).join(", ")}]`;

/** Table numbers are the segment's unless every subnet names another. */
const ownTables = "self.routing.all(subnet, has(subnet.table))";

const unionRules: readonly CelRule[] = (["vxlan", "vlan"] as const).map((type) => ({
  rule: `(self.type == '${type}') == has(self.${type})`,
  message: `${type} belongs to type ${type} and is required there`,
}));

const segmentRules: readonly CelRule[] = [
  {
    rule: `!has(self.vxlan) || !(self.vxlan.vni in ${reserved}) || ${ownTables}`,
    message: "the VNI is a routing table of the kernel; set routing.table",
  },
  {
    rule: `!has(self.vlan) || !(self.vlan.id in ${reserved}) || ${ownTables}`,
    message: "the VLAN id is a routing table of the kernel; set routing.table",
  },
];

const vxlanRules: readonly CelRule[] = [
  { rule: "has(self.bgp) != has(self.remotes)", message: "write bgp, or remotes for a network without BGP" },
];

/** 23456 stands for four-byte numbers in old messages (RFC 6793), 65535 is reserved (RFC 7300). */
const asnRules: readonly CelRule[] = [{ rule: "!(self in [23456, 65535])", message: "a reserved AS number" }];

const bgpRules: readonly CelRule[] = [
  {
    rule:
      "(has(self.routeTarget) && self.routeTarget != 'rfc8365') || " +
      `(self.myAsn <= ${largestTwoByteAsn} && (has(self.importRouteTargets) || self.peerAsn <= ${largestTwoByteAsn}))`,
    message: `an AS number over ${largestTwoByteAsn} (up to ${asnRange.maximum}) needs routeTarget`,
  },
];

const tableRules: readonly CelRule[] = [{ rule: `!(self in ${reserved})`, message: "a routing table of the kernel" }];

/** What the API server can see of the rules; prefixes and what stands between networks the agent checks. */
export function withPublicNetworkRules(spec: JsonSchema): JsonSchema {
  const places: readonly (readonly [readonly string[], readonly CelRule[]])[] = [
    [[], [...unionRules, ...segmentRules]],
    [["vxlan"], vxlanRules],
    [["vxlan", "bgp"], bgpRules],
    [["vxlan", "bgp", "myAsn"], asnRules],
    [["vxlan", "bgp", "peerAsn"], asnRules],
    [["routing", "[]", "table"], tableRules],
  ];
  return places.reduce((schema, [place, rules]) => withRules(schema, place, rules), spec);
}
