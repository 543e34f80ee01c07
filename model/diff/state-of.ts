import { addressBits } from "../address/address.js";
import { tunnelOf } from "../node-plan/link-parts.js";
import type { AddressFact } from "../node-plan/node-facts.js";
import type {
  LinkPlan,
  NetworkPlan,
  NodePlan,
  RoutePlan,
  RulePlan,
  StaticAddressPlan,
} from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { ruleKey } from "../node-plan/rule-key.js";
import { addressMetric } from "../ownership/address-metric.js";
import { linkGroup } from "../ownership/link-group.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import { floodMac } from "../render/render-flood.js";
import { carriedNetworks } from "./carried-networks.js";
import { feasibleNetworks } from "./feasible-networks.js";
import { sealOf } from "./filter-seal.js";
import type { ForwardingEntry, ObservedLink, ObservedRoute, ObservedRule, ObservedState } from "./observed-state.js";
import { heldRules, ownRule } from "./rule-operations.js";
import { sysctlsGivenUp } from "./sysctl-changes.js";

export const emptyState: ObservedState = {
  links: [],
  addresses: [],
  routes: [],
  rules: [],
  sysctls: {},
  forwarding: {},
};

/**
 * What the kernel holds once a plan was carried out on `base`: for a comparison on a desk, where no kernel can be read. The
 * listing of our nft table is the ruleset itself, since only nft knows its own words. Forwarding entries of a network
 * with BGP come from its routes, so only those of `base` are there.
 */
export function stateOf(plan: NodePlan, base: ObservedState = emptyState): ObservedState {
  const { carried, guarding, obsolete, obsoleteAddresses, made, gone, ruleset } = carriedNetworks(
    base,
    feasibleNetworks(base, plan).plan,
  );
  const planned = new Map(carried.flatMap(({ link }) => newLinks(link)).map((link) => [link.name, link]));
  const removedAddresses = new Set(obsoleteAddresses);
  const obsoleteRoutes = new Set(obsolete.routes.map(({ route }) => route));
  const routes = base.routes.filter((route) => !isOn(route.device, gone) && !obsoleteRoutes.has(route));
  const rules = withoutRules(
    base.rules,
    obsolete.rules.map(({ rule }) => rule),
  );
  return {
    links: [
      ...base.links.filter(({ name }) => !gone.has(name)).map((link) => changedLink(link, planned.get(link.name))),
      ...[...planned.values()].filter(({ name }) => made.has(name)),
    ],
    addresses: withAddresses(
      base.addresses.filter((address) => !gone.has(address.device) && !removedAddresses.has(address)),
      carried.flatMap(({ staticAddresses = [] }) => staticAddresses),
    ),
    routes: withRoutes(
      routes,
      carried.flatMap((network) => network.routes),
    ),
    rules: withRules(rules, [...carried.flatMap((network) => network.rules), ...guarding]),
    ...(base.ipv6 === undefined ? {} : { ipv6: base.ipv6 }),
    ...(base.ethtoolFailure === undefined ? {} : { ethtoolFailure: base.ethtoolFailure }),
    ...(ruleset === undefined ? {} : { filter: { listing: ruleset, seal: sealOf(ruleset, ruleset) } }),
    sysctls: {
      ...Object.fromEntries(Object.entries(base.sysctls).filter(([name]) => !isSysctlOf(name, gone))),
      ...Object.fromEntries(
        carried.flatMap((network) => {
          const given = sysctlsGivenUp(network, base, made.has(network.link.name));
          return [...network.sysctls, ...given].map(({ name, value }) => [name, value]);
        }),
      ),
    },
    forwarding: {
      ...Object.fromEntries(Object.entries(base.forwarding).filter(([device]) => !gone.has(device))),
      ...Object.fromEntries(
        carried.flatMap((network) => {
          const tunnel = tunnelOf(network.link)?.name;
          return tunnel === undefined ? [] : [[tunnel, forwardingOf(network, tunnel, base, gone)]];
        }),
      ),
    },
  };
}

/** The interfaces of a network as they are when its plan is carried out. */
function newLinks(plan: LinkPlan): readonly ObservedLink[] {
  if (plan.kind === "adopted") return [{ name: plan.name, mtu: plan.mtu, up: true }];
  const common = { name: plan.name, kind: plan.kind, alias: plan.alias, group: linkGroup, mtu: plan.mtu, up: true };
  if (plan.kind === "vlan") return [{ ...common, parent: plan.parent, vlan: { id: plan.id } }];
  if (plan.kind === "bridge") {
    const port = { master: plan.name, portLearning: plan.tunnel.learning };
    return [{ ...common, mac: plan.mac }, ...newLinks(plan.tunnel).map((link) => ({ ...link, ...port }))];
  }
  const { vni, port, local, learning, mac, txChecksum } = plan;
  const offload = txChecksum === undefined ? {} : { txChecksum };
  return [{ ...common, mac, vxlan: { vni, port, local, learning }, ...offload }];
}

/** What the plan does not name, such as the MAC that a VLAN interface has from its parent, stays; it is no port of another. */
function changedLink(link: ObservedLink, planned: ObservedLink | undefined): ObservedLink {
  if (planned?.alias === undefined) return { ...link, ...planned };
  const { master: _, portLearning: _learning, strays: _strays, withoutLinkLocal: _address, ...rest } = link;
  return { ...rest, ...planned };
}

/** One that somebody else has put there counts as ours would. */
function withAddresses(addresses: readonly AddressFact[], plan: readonly StaticAddressPlan[]): readonly AddressFact[] {
  const missing = plan.filter(
    ({ address, device }) => !addresses.some((held) => held.address === address && held.device === device),
  );
  return [
    ...addresses,
    ...missing.map((address) => ({
      ...address,
      prefixLength: addressBits(address.family),
      secondary: false,
      deprecated: false,
      tentative: false,
      metric: addressMetric,
    })),
  ];
}

/** A foreign route in the way stays, and ours is missing. */
function withRoutes(routes: readonly ObservedRoute[], plan: readonly RoutePlan[]): readonly ObservedRoute[] {
  const foreign = new Set(routes.filter(({ protocol }) => protocol !== routeProtocol).map(routeKey));
  const planned = new Map(plan.map((route) => [routeKey(route), route]));
  const isReplaced = (route: ObservedRoute) => route.protocol === routeProtocol && planned.has(routeKey(route));
  return [
    ...routes.filter((route) => !isReplaced(route)),
    ...[...planned.values()]
      .filter((route) => !foreign.has(routeKey(route)))
      .map((route) => ({ ...route, protocol: routeProtocol, plain: true })),
  ];
}

function withRules(rules: readonly ObservedRule[], plan: readonly RulePlan[]): readonly ObservedRule[] {
  const { own } = heldRules(rules);
  const missing = plan.filter((rule) => !own.has(ruleKey(rule)));
  return [...rules, ...missing.map((rule) => ({ ...rule, protocol: routeProtocol, plain: true }))];
}

/** Each removed rule takes one of its equals; those with our protocol in a form that we never write go as well. */
function withoutRules(rules: readonly ObservedRule[], removed: readonly RulePlan[]): readonly ObservedRule[] {
  const left = new Map([...Map.groupBy(removed, ruleKey)].map(([key, equals]) => [key, equals.length]));
  return rules.filter((rule) => {
    const own = ownRule(rule);
    if (own === undefined) return rule.protocol !== routeProtocol || rule.words === undefined;
    const key = ruleKey(own);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

function forwardingOf(
  network: NetworkPlan,
  device: string,
  base: ObservedState,
  gone: ReadonlySet<string>,
): readonly ForwardingEntry[] {
  const held = gone.has(device) ? [] : (base.forwarding[device] ?? []);
  if (network.speaker !== undefined) return held;
  const learned = held.filter(({ mac, external }) => mac !== floodMac && !external);
  return [...network.flood.map((vtep) => ({ mac: floodMac, vtep, external: false })), ...learned];
}

function isOn(device: string | undefined, devices: ReadonlySet<string>): boolean {
  return device !== undefined && devices.has(device);
}

/** `net.ipv4.conf.DEVICE.rp_filter`: the kernel takes them away with the device. */
function isSysctlOf(name: string, devices: ReadonlySet<string>): boolean {
  return isOn(name.split(".")[3], devices);
}
