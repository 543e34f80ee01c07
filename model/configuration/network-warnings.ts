import { familyOf, parsePrefix } from "../address/prefix.js";
import type { Family } from "../node-plan/node-plan.js";
import { switchAgeingTime } from "../numbers/limits.js";
import type { Finding } from "./finding.js";
import type { UnnamedNetwork } from "./schema.js";
import { isUnknown } from "./unknown-value.js";

/** What works but is seldom meant. */
export function networkWarnings(network: UnnamedNetwork, podNetworks: readonly string[]): readonly Finding[] {
  return [...subnetWarnings(network, podNetworks), ...routerIdWarnings(network)];
}

/** The label that names one node (kubernetes.io/hostname is unique by convention of the kubelet). */
const hostnameLabel = "kubernetes.io/hostname";

/** A configuration does not say how many nodes carry it: right for a file of one host, and an outage for two nodes. */
function routerIdWarnings({ nodeSelector, ...network }: UnnamedNetwork): readonly Finding[] {
  const routerId = network.type === "vxlan" ? network.vxlan.bgp?.routerId : undefined;
  if (routerId === undefined || isUnknown(routerId) || nodeSelector?.[hostnameLabel] !== undefined) return [];
  return [
    {
      code: "SharedRouterId",
      path: ["vxlan", "bgp", "routerId"],
      value: routerId,
      message:
        "is the BGP identifier of every node that carries the network, and nodes with the same one drop each other's " +
        "routes (RFC 4456 section 8)",
      remedy: `leave it out, so that each node has its own, or name the one node in nodeSelector (${hostnameLabel})`,
    },
  ];
}

function subnetWarnings(network: UnnamedNetwork, podNetworks: readonly string[]): readonly Finding[] {
  return network.routing.flatMap((routing, index): Finding[] => {
    const warnings: Finding[] = [];
    if (parsePrefix(routing.cidr) !== undefined && lacksPods(familyOf(routing.cidr), podNetworks)) {
      warnings.push({
        code: "NoPodNetworkOfFamily",
        path: ["routing", index, "cidr"],
        value: routing.cidr,
        message: `has no IPv${familyOf(routing.cidr)} podNetworks: pods will not be reachable from it`,
        remedy: "add the cluster's pod and service networks of this family",
      });
    }
    if (routing.arpAnnouncer.enabled === true && routing.arpAnnouncer.interval >= switchAgeingTime) {
      warnings.push({
        code: "RarelyAnnounced",
        path: ["routing", index, "arpAnnouncer", "interval"],
        value: routing.arpAnnouncer.interval,
        message: `is not under the ${switchAgeingTime} s after which switches forget a port (metallb/metallb#2910)`,
        remedy: "write 60",
      });
    }
    return warnings;
  });
}

/** A node without any pods says so with an empty list. */
function lacksPods(family: Family, podNetworks: readonly string[]): boolean {
  return (
    podNetworks.length > 0 && !podNetworks.some(isUnknown) && podNetworks.every((text) => familyOf(text) !== family)
  );
}
