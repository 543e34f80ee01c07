import { familyOf } from "../address/prefix.js";
import type { NamedNetwork, VlanNetworkSpec, VxlanNetworkSpec } from "../configuration/configuration.js";
import { interfaceName } from "../numbers/interface-name.js";
import { vxlanOverhead } from "../numbers/limits.js";
import { vxlanMac } from "../numbers/vxlan-mac.js";
import { aliasOf, networkOfAlias } from "../ownership/alias.js";
import type { LinkFact } from "./node-facts.js";
import type { LinkPlan, PlanCondition, VlanLinkPlan, VxlanLinkPlan } from "./node-plan.js";
import { type Underlay, vtepAddress } from "./vtep-address.js";

export interface PlannedLink {
  readonly kind: "link";
  readonly link: LinkPlan;
  readonly conditions: readonly PlanCondition[];
}

export type LinkResult = PlannedLink | { readonly kind: "none"; readonly condition: PlanCondition };

export function planLink(network: NamedNetwork, underlay: Underlay): LinkResult {
  const name = interfaceName(network);
  const existing = underlay.links.get(name);
  const result = network.type === "vxlan" ? planVxlan(network, underlay, existing) : planVlan(network, underlay);
  if (result.kind === "none" || existing === undefined || isOurs(existing, result.link)) return result;
  return {
    kind: "none",
    condition: {
      reason: "ForeignInterface",
      message: `interface ${name} exists and was not made by this agent; remove it or choose another segment`,
    },
  };
}

/**
 * The alias is set after creation, so an agent that dies in between leaves an interface without one. A VXLAN interface is
 * then known by its MAC, which nobody else would derive.
 */
function isOurs(existing: LinkFact, plan: LinkPlan): boolean {
  return networkOfAlias(existing.alias) !== undefined || (plan.kind === "vxlan" && existing.mac === plan.mac);
}

function planVxlan(
  network: NamedNetwork & VxlanNetworkSpec,
  underlay: Underlay,
  existing: LinkFact | undefined,
): LinkResult {
  const { vxlan } = network;
  const vtep = vtepAddress(vxlan, underlay, existing?.local);
  if (vtep.kind === "none") return vtep;
  const overhead = vxlanOverhead[familyOf(vtep.address)];
  const mtu = fittingMtu("vxlan.mtu", vxlan.mtu, vtep.underlay, overhead);
  const link: VxlanLinkPlan = {
    kind: "vxlan",
    name: interfaceName(network),
    alias: aliasOf(network.name),
    vni: vxlan.vni,
    port: vxlan.port,
    local: vtep.address,
    mtu: mtu.value,
    mac: vxlanMac(vtep.address, vxlan.vni),
    // Learning beside BGP would let the data plane overrule the routes (FRRouting/frr#13661).
    learning: vxlan.bgp === undefined,
  };
  return { kind: "link", link, conditions: mtu.conditions };
}

function planVlan(network: NamedNetwork & VlanNetworkSpec, { links }: Underlay): LinkResult {
  const { vlan } = network;
  const parent = links.get(vlan.parent);
  if (parent === undefined) {
    return {
      kind: "none",
      condition: { reason: "ParentMissing", message: `parent ${vlan.parent} not found` },
    };
  }
  const mtu = fittingMtu("vlan.mtu", vlan.mtu, parent, 0);
  const link: VlanLinkPlan = {
    kind: "vlan",
    name: interfaceName(network),
    alias: aliasOf(network.name),
    parent: vlan.parent,
    id: vlan.id,
    mtu: mtu.value,
  };
  return { kind: "link", link, conditions: mtu.conditions };
}

/**
 * Never more than the lower interface carries: the kernel would fragment the outer packet without a word, and hardware
 * VTEPs drop such fragments, so that small packets pass and large ones vanish (measured).
 */
function fittingMtu(
  path: string,
  wanted: number | undefined,
  lower: LinkFact,
  overhead: number,
): { readonly value: number; readonly conditions: readonly PlanCondition[] } {
  const largest = lower.mtu - overhead;
  if (wanted === undefined || wanted <= largest) return { value: wanted ?? largest, conditions: [] };
  const message = `${path} ${wanted} needs ${wanted + overhead} on ${lower.name}, which has ${lower.mtu}; ${largest} is used`;
  return { value: largest, conditions: [{ reason: "MtuTooLarge", message }] };
}
