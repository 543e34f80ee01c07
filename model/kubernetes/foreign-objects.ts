import { madeInterfaces } from "../node-plan/link-parts.js";
import type { LinkFact, NodeFacts } from "../node-plan/node-facts.js";
import type { NodePlan } from "../node-plan/node-plan.js";
import { isOurForm } from "../numbers/interface-name.js";
import { isMarkedOurs } from "../ownership/own-link.js";
import type { ForeignInterface, ForeignObjects } from "./objects.js";

/** An entry has some 150 bytes, and an object of etcd 1.5 MiB, which a node's hundreds of networks need. */
const listedInterfaces = 256;
/** Tables of rules; 4 bytes each, but a program may have one for each of its pods. */
const listedTables = 256;

/**
 * What other programs have on a node that a network could meet. Sorted and without what changes by itself, so that equal nodes
 * write equal objects.
 * @param plan its interfaces are ours even while somebody has taken their marks away
 */
export function foreignObjects({ links, foreignTables = [] }: NodeFacts, plan: NodePlan): ForeignObjects {
  const ours = new Set(plan.networks.flatMap(({ link }) => madeInterfaces(link)));
  const interfaces = links
    .filter((link) => !isMarkedOurs(link) && !ours.has(link.name) && canMeet(link))
    .map(foreignInterface)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const listed = interfaces.slice(0, listedInterfaces);
  return {
    interfaces: listed,
    omittedInterfaces: interfaces.length - listed.length,
    tables: foreignTables.slice(0, listedTables),
  };
}

/** A node has an interface for each of its pods: most can be in nobody's way. */
function canMeet({ name, vni, vlanId }: LinkFact): boolean {
  return vni !== undefined || vlanId !== undefined || isOurForm(name);
}

function foreignInterface({ name, kind, vni, port, external, parent, vlanId, master }: LinkFact): ForeignInterface {
  return {
    name,
    ...(kind === undefined ? {} : { kind }),
    ...(vni === undefined ? {} : { vni }),
    ...(port === undefined ? {} : { port }),
    ...(external === undefined ? {} : { external }),
    ...(parent === undefined ? {} : { parent }),
    ...(vlanId === undefined ? {} : { vlanId }),
    ...(master === undefined ? {} : { master }),
  };
}
