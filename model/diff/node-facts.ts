import type { LinkFact, MarkFact, NodeFacts } from "../node-plan/node-facts.js";
import { localTable, mainTable, reservedTables } from "../numbers/routing-table.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import type { ObservedLink, ObservedNode, ObservedRule } from "./observed-state.js";
import { ownRule } from "./rule-operations.js";

/** The larger of this and an interface's own value counts (ip-sysctl.rst). */
export const rpFilterAllSysctl = "net.ipv4.conf.all.rp_filter";
const ipvsConntrackSysctl = "net.ipv4.vs.conntrack";
const ipvsRerouteSysctl = "net.ipv4.vs.snat_reroute";
/** What {@link nodeFacts} asks for. */
export const factSysctls: readonly string[] = [rpFilterAllSysctl, ipvsConntrackSysctl, ipvsRerouteSysctl];
/** Higher than any rule can have (FRA_PRIORITY of the last default rule is 32767): the local table is looked up nowhere. */
export const noLocalRule = 32768;

/** What planning needs to know of the node. */
export function nodeFacts(
  observed: ObservedNode,
  nodeName: string,
  labels: Readonly<Record<string, string>>,
): NodeFacts {
  return {
    nodeName,
    labels,
    links: observed.links.map(linkFact),
    addresses: observed.addresses,
    marks: observed.rules.flatMap(markFact),
    rpFilterAll: Number(observed.sysctls[rpFilterAllSysctl] ?? 0),
    localRulePriority: localRulePriority(observed.rules),
    ...ipvsFact(observed.sysctls),
    ...foreignTables(observed.rules),
    ...(observed.ipv6 === false ? { ipv6: false } : {}),
  };
}

/** Its parameters are there with its module (ip_vs_ctl.c). */
function ipvsFact({
  [ipvsConntrackSysctl]: conntrack,
  [ipvsRerouteSysctl]: reroute,
}: ObservedNode["sysctls"]): Pick<NodeFacts, "ipvs"> {
  if (conntrack === undefined || reroute === undefined) return {};
  return { ipvs: { conntrack: conntrack !== "0", snatReroute: reroute !== "0" } };
}

/** What a node with this fact has of {@link factSysctls}. */
export function ipvsSysctls(ipvs: NodeFacts["ipvs"]): ObservedNode["sysctls"] {
  if (ipvs === undefined) return {};
  return {
    [ipvsConntrackSysctl]: ipvs.conntrack ? "1" : "0",
    [ipvsRerouteSysctl]: ipvs.snatReroute ? "1" : "0",
  };
}

function linkFact({ name, kind, alias, group, mtu, up, mac, master, parent, vlan, vxlan }: ObservedLink): LinkFact {
  return {
    name,
    ...(kind === undefined ? {} : { kind }),
    ...(alias === undefined ? {} : { alias }),
    ...(group === undefined ? {} : { group }),
    mtu,
    up,
    ...(mac === undefined ? {} : { mac }),
    ...(vlan === undefined || parent === undefined ? {} : { parent, vlanId: vlan.id }),
    ...(master === undefined ? {} : { master }),
    ...(vxlan?.local === undefined ? {} : { local: vxlan.local }),
    ...(vxlan === undefined ? {} : { vni: vxlan.vni, port: vxlan.port }),
    ...(vxlan?.external === true ? { external: true } : {}),
  };
}

/**
 * A rule with a source may be what an administrator had for the network before; one without would lead packets that are not the
 * network's into its table (strongSwan's `from all lookup 220`, Cilium's marks).
 */
function foreignTables(rules: readonly ObservedRule[]): Pick<NodeFacts, "foreignTables"> {
  const tables = rules.flatMap(({ protocol, from, action }) =>
    protocol !== routeProtocol && from === undefined && action.kind === "lookup" && !reservedTables.has(action.table)
      ? [action.table]
      : [],
  );
  return tables.length === 0 ? {} : { foreignTables: [...new Set(tables)].sort((one, other) => one - other) };
}

function markFact(observed: ObservedRule): readonly MarkFact[] {
  const rule = ownRule(observed);
  if (rule?.mark === undefined || rule.action.kind !== "lookup" || rule.action.table === mainTable) return [];
  return [{ table: rule.action.table, mark: rule.mark }];
}

/** The later one of both families, because our rules stand in both. A family without any rule does not count. */
function localRulePriority(rules: readonly ObservedRule[]): number {
  const families = new Set(rules.map(({ family }) => family));
  const priorities = [...families].map((family) => {
    const local = rules.filter(
      (rule) => rule.family === family && rule.action.kind === "lookup" && rule.action.table === localTable,
    );
    return Math.min(noLocalRule, ...local.filter(({ plain }) => plain).map(({ priority }) => priority));
  });
  return Math.max(0, ...priorities);
}
