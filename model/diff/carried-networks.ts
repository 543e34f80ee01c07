import { madeInterfaces } from "../node-plan/link-parts.js";
import type { AddressFact } from "../node-plan/node-facts.js";
import type { FilterPlan, NetworkPlan, NodePlan, RulePlan } from "../node-plan/node-plan.js";
import { isMarkedOurs } from "../ownership/own-link.js";
import { filterRules } from "../render/filter-rules.js";
import { nftRuleset } from "../render/nft-ruleset.js";
import { obsoleteAddresses } from "./address-operations.js";
import { heldLinks } from "./held-links.js";
import { type LinkOperations, linkOperations } from "./link-operations.js";
import type { ObservedState } from "./observed-state.js";
import { type ObsoleteObjects, obsoleteObjects, type Retained } from "./obsolete-objects.js";

/** Which networks of a plan a kernel can take, and what follows for all that is ours in it. */
export interface CarriedNetworks {
  readonly links: ReadonlyMap<NetworkPlan, LinkOperations>;
  /** Those whose interface is not another's. */
  readonly carried: readonly NetworkPlan[];
  /** Rules by source of all others: packets from their prefixes must not leave by the main table meanwhile. */
  readonly guarding: readonly RulePlan[];
  readonly obsolete: ObsoleteObjects;
  /** Of ours, on interfaces that stay. */
  readonly obsoleteAddresses: readonly AddressFact[];
  /** Devices that are made, for the first time or again. */
  readonly made: ReadonlySet<string>;
  /** Devices that are deleted; a device that is made again is deleted first, with all that hangs on it. */
  readonly gone: ReadonlySet<string>;
  /** Of our nft table; undefined when no network has a rule for it, as chains without rules cost time for each packet. */
  readonly ruleset?: string;
}

export function carriedNetworks(observed: ObservedState, plan: NodePlan): CarriedNetworks {
  const held = heldLinks(observed.links);
  const links = new Map(plan.networks.map((network) => [network, linkOperations(network.link, held)]));
  const isCarried = (network: NetworkPlan) => links.get(network)?.kind === "plan";
  const carried = plan.networks.filter(isCarried);
  const blocked = plan.networks.filter((network) => !isCarried(network));
  const retained: readonly Retained[] = [...plan.unplanned, ...blocked.map(retainedBy)];
  const obsolete = obsoleteObjects(observed, carried, retained);
  const made = carried.flatMap((network) => madeBy(links.get(network)));
  const gone = new Set([...obsolete.links, ...made]);
  const filters = wantedFilters(observed, plan, carried).filter((filter) => filterRules(filter).length > 0);
  return {
    links,
    carried,
    guarding: [...blocked, ...plan.unplanned].flatMap(({ rules }) => rules.filter(({ mark }) => mark === undefined)),
    obsolete,
    made: new Set(made),
    obsoleteAddresses: obsoleteAddresses(observed, carried, retained, gone),
    gone,
    ...(filters.length === 0 ? {} : { ruleset: nftRuleset(filters) }),
  };
}

/** One table for the whole node. Networks that cannot be planned now keep their part while their interface is there. */
function wantedFilters(
  observed: ObservedState,
  plan: NodePlan,
  carried: readonly NetworkPlan[],
): readonly FilterPlan[] {
  const present = new Set(observed.links.map(({ name }) => name));
  const ours = new Set(observed.links.filter((link) => isMarkedOurs(link)).map(({ name }) => name));
  return [
    ...carried.map(({ filter }) => filter),
    ...plan.unplanned
      .filter(({ device, interfaces }) => (interfaces.includes(device) ? ours : present).has(device))
      .map(({ filter }) => filter),
  ];
}

function madeBy(link: LinkOperations | undefined): readonly string[] {
  return link?.kind === "plan" ? link.made : [];
}

function retainedBy({ network, link, routes, filter, staticAddresses = [] }: NetworkPlan): Retained {
  const interfaces = madeInterfaces(link);
  const tables = routes.map(({ table }) => table);
  return { network, interfaces, tables, prefixes: filter.prefixes, staticAddresses };
}
