import { familyOf } from "../address/prefix.js";
import type { NamedNetwork, Routing, VlanNetworkSpec, VxlanNetworkSpec } from "../configuration/configuration.js";
import { smallestMtu } from "../configuration/smallest-mtu.js";
import { interfaceName, segmentInterfaceName } from "../numbers/interface-name.js";
import { ethernetMtu, ipv6MinimumMtu, vxlanOverhead } from "../numbers/limits.js";
import { vxlanMac } from "../numbers/vxlan-mac.js";
import { aliasOf } from "../ownership/alias.js";
import { isMarkedOurs, isOurs } from "../ownership/own-link.js";
import { ipv6MtuConditions } from "./ipv6-mtu.js";
import { madeInterfaces } from "./link-parts.js";
import type { LinkFact } from "./node-facts.js";
import type { AdoptedLinkPlan, LinkPlan, PlanCondition, VlanLinkPlan, VxlanLinkPlan } from "./node-plan.js";
import { type Underlay, vlanKey, vtepAddress } from "./vtep-address.js";

export interface PlannedLink {
  readonly kind: "link";
  readonly link: LinkPlan;
  readonly conditions: readonly PlanCondition[];
}

export interface NoLink {
  readonly kind: "none";
  readonly condition: PlanCondition;
  /** The interface that is used, where it is somebody else's. */
  readonly adopted?: string;
}

export type LinkResult = PlannedLink | NoLink;

export function planLink(network: NamedNetwork, underlay: Underlay): LinkResult {
  const result = network.type === "vxlan" ? planVxlan(network, underlay) : planVlan(network, underlay);
  if (result.kind === "none") return result;
  const { link } = result;
  const foreign = madeInterfaces(link).find((name) => {
    const existing = underlay.links.get(name);
    return existing !== undefined && !isOurs(existing, link);
  });
  if (foreign === undefined) return result;
  return {
    kind: "none",
    condition: {
      reason: "ForeignInterface",
      message: `interface ${foreign} exists and was not made by this agent; remove it or choose another segment`,
    },
  };
}

function planVxlan(network: NamedNetwork & VxlanNetworkSpec, underlay: Underlay): LinkResult {
  const { vxlan } = network;
  const name = segmentInterfaceName(network);
  const vtep = vtepAddress(vxlan, underlay, underlay.links.get(name)?.local);
  if (vtep.kind === "none") return vtep;
  const overhead = vxlanOverhead[familyOf(vtep.address)];
  const device = interfaceName(network);
  const wish = { device, path: "vxlan.mtu", wanted: vxlan.mtu, subnets: network.routing };
  const { value: mtu, conditions } = fittingMtu(wish, vtep.underlay, overhead);
  const alias = aliasOf(network.name);
  const mac = vxlanMac(vtep.address, vxlan.vni);
  const tunnel: VxlanLinkPlan = {
    kind: "vxlan",
    name,
    alias,
    vni: vxlan.vni,
    port: vxlan.port,
    local: vtep.address,
    mtu,
    mac,
    // Learning beside BGP would let the data plane overrule the routes (FRRouting/frr#13661).
    learning: vxlan.bgp === undefined,
    ...(vxlan.txChecksum === undefined ? {} : { txChecksum: vxlan.txChecksum }),
  };
  if (!vxlan.bridge) return { kind: "link", link: tunnel, conditions };
  return { kind: "link", link: { kind: "bridge", name: interfaceName(network), alias, mtu, mac, tunnel }, conditions };
}

function planVlan(network: NamedNetwork & VlanNetworkSpec, underlay: Underlay): LinkResult {
  const { vlan } = network;
  const parent = underlay.links.get(vlan.parent);
  if (parent === undefined) {
    return {
      kind: "none",
      condition: { reason: "ParentMissing", message: `parent ${vlan.parent} not found` },
    };
  }
  const existing = underlay.vlans.get(vlanKey(vlan.parent, vlan.id));
  if (existing !== undefined && !isMarkedOurs(existing)) return adopt(network, parent, existing);
  if (!parent.up) return { kind: "none", condition: parentDown(parent) };
  const name = interfaceName(network);
  const wish = { device: name, path: "vlan.mtu", wanted: vlan.mtu, subnets: network.routing };
  const mtu = fittingMtu(wish, parent, 0);
  const link: VlanLinkPlan = {
    kind: "vlan",
    name,
    alias: aliasOf(network.name),
    parent: vlan.parent,
    id: vlan.id,
    mtu: mtu.value,
  };
  return { kind: "link", link, conditions: mtu.conditions };
}

/** The kernel takes no second interface for the VLAN, and whoever made this one may use it for more. */
function adopt({ vlan, routing }: VlanNetworkSpec, parent: LinkFact, { name, mtu, master }: LinkFact): LinkResult {
  const none = (condition: PlanCondition): NoLink => ({ kind: "none", condition, adopted: name });
  if (master !== undefined) return none(enslaved(vlan, name, master));
  if (!parent.up) return none(parentDown(parent));
  const link: AdoptedLinkPlan = { kind: "adopted", name, parent: vlan.parent, id: vlan.id, mtu };
  const differs = vlan.mtu === undefined || vlan.mtu === mtu ? [] : [mtuDiffers(vlan.mtu, name, mtu)];
  const withoutIpv6 = ipv6MtuConditions(routing, name, mtu, `give ${name} an MTU of ${ipv6MinimumMtu} or more`);
  return { kind: "link", link, conditions: [adopted(vlan, name), ...differs, ...withoutIpv6] };
}

function adopted({ parent, id }: VlanNetworkSpec["vlan"], name: string): PlanCondition {
  return {
    reason: "AdoptedInterface",
    message:
      `${name} carries VLAN ${id} on ${parent} already: it is used as it is and stays when the network goes. Its sysctls ` +
      "are left to whoever made it; requests that a service proxy rewrites need rp_filter 0 on it",
  };
}

function mtuDiffers(wanted: number, name: string, mtu: number): PlanCondition {
  const message = `vlan.mtu ${wanted} is not set: ${name} has ${mtu} and was not made by this agent; change it there`;
  return { reason: "MtuDiffers", message };
}

/** A bridge takes every frame from its ports before routing sees it. */
function enslaved({ parent, id }: VlanNetworkSpec["vlan"], name: string, master: string): PlanCondition {
  return {
    reason: "InterfaceEnslaved",
    message: `${name} carries VLAN ${id} on ${parent}, but it is a port of ${master}, where no route can use it; take it off`,
  };
}

/** The kernel sets no VLAN interface up while its parent is down, and up with it. */
function parentDown({ name }: LinkFact): PlanCondition {
  return { reason: "ParentDown", message: `waiting: parent ${name} is down` };
}

/** What a network asks of the MTU of its interface. */
interface MtuWish {
  readonly device: string;
  /** Where it is configured. */
  readonly path: string;
  readonly wanted: number | undefined;
  readonly subnets: readonly Routing[];
}

interface FittingMtu {
  readonly value: number;
  readonly conditions: readonly PlanCondition[];
}

/**
 * Never more than the lower interface carries: the kernel would fragment the outer packet without a word, and hardware
 * VTEPs drop such fragments, so that small packets pass and large ones vanish (measured). What is configured is the segment's own
 * MTU; without it the gateway and other hosts are taken to send what hosts send by default.
 */
function fittingMtu(wish: MtuWish, lower: LinkFact, overhead: number): FittingMtu {
  const { device, wanted, subnets } = wish;
  const largest = lower.mtu - overhead;
  const value = Math.min(wanted ?? largest, largest);
  const enough = `give ${lower.name} an MTU of ${ipv6MinimumMtu + overhead} or more`;
  return {
    value,
    conditions: [...lowerMtuConditions(wish, lower, overhead), ...ipv6MtuConditions(subnets, device, value, enough)],
  };
}

/** What the lower interface cannot carry of what is wanted, or of what others send. */
function lowerMtuConditions(
  { device, path, wanted, subnets }: MtuWish,
  lower: LinkFact,
  overhead: number,
): readonly PlanCondition[] {
  const largest = lower.mtu - overhead;
  if (wanted !== undefined) {
    if (wanted <= largest) return [];
    const message = `${path} ${wanted} needs ${wanted + overhead} on ${lower.name}, which has ${lower.mtu}; ${largest} is used`;
    return [{ reason: "MtuTooLarge", message }];
  }
  if (largest >= ethernetMtu) return [];
  const message =
    `${device} carries ${largest} bytes, for ${lower.name} has ${lower.mtu}: larger packets of a gateway that sends ` +
    `${ethernetMtu} are lost, and TCP is clamped to what fits; give ${lower.name} an MTU of ${ethernetMtu + overhead}`;
  // Nobody is told to write what the configuration refuses.
  const alternative = `, or set ${path} to ${largest} where nothing in the segment sends more`;
  return [{ reason: "MtuBelowSegment", message: message + (largest < smallestMtu(subnets) ? "" : alternative) }];
}
