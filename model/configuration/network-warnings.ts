import { parseAddress } from "../address/address.js";
import { containsAddress, familyOf, formatPrefix, isEdge, overlaps, type Prefix } from "../address/prefix.js";
import { parseHostPrefix } from "../address/special-purpose.js";
import type { Family } from "../node-plan/node-plan.js";
import { assignableRanges } from "../numbers/assignable-ranges.js";
import { switchAgeingTime } from "../numbers/limits.js";
import { truncatedAsn } from "../numbers/route-targets.js";
import { activeBfd } from "./bfd.js";
import type { Routing, Vxlan } from "./configuration.js";
import type { Finding, Path } from "./finding.js";
import { hostnameLabel } from "./node-selector.js";
import type { UnnamedNetwork } from "./schema.js";
import { isSpeaker, type SpeakerNetwork } from "./speaker-network.js";
import { hasUnknown, isUnknown } from "./unknown-value.js";

/** What works but is seldom meant. */
export function networkWarnings(network: UnnamedNetwork, podNetworks: readonly string[]): readonly Finding[] {
  return [
    ...subnetWarnings(network, podNetworks),
    ...(network.type === "vxlan" ? underlayWarnings(network.vxlan, podNetworks) : []),
    ...(isSpeaker(network)
      ? [...oneForAllWarnings(network), ...bfdWarnings(network), ...routeTargetWarnings(network)]
      : []),
  ];
}

/** A configuration does not say how many nodes carry it: right for a file of one host, and an outage for two nodes. */
function oneForAllWarnings({ nodeSelector, vxlan: { bgp } }: SpeakerNetwork): readonly Finding[] {
  if (nodeSelector?.[hostnameLabel] !== undefined) return [];
  return oneForAll.flatMap(({ key, code, message }) => {
    const value = bgp[key];
    if (value === undefined || isUnknown(value)) return [];
    const remedy = `leave it out, so that each node has its own, or name the one node in nodeSelector (${hostnameLabel})`;
    return [{ code, path: ["vxlan", "bgp", key], value, message, remedy }];
  });
}

/** By our own numbers; the peer's can only make it slower. */
function bfdWarnings({ vxlan: { bgp } }: SpeakerNetwork): readonly Finding[] {
  const bfd = activeBfd(bgp);
  if (bfd === undefined || hasUnknown([bfd, bgp.holdTime])) return [];
  const detection = (bfd.multiplier * Math.max(bfd.minTxInterval, bfd.minRxInterval)) / 1000;
  if (detection < bgp.holdTime) return [];
  return [
    {
      code: "BfdSlowerThanHoldTime",
      path: ["vxlan", "bgp", "bfd"],
      value: undefined,
      message: `notices a dead peer after ${detection} s, when the hold time of ${bgp.holdTime} s is over already`,
      remedy: "write shorter intervals, or leave it out",
    },
  ];
}

const oneForAll = [
  {
    key: "routerId",
    code: "SharedRouterId",
    message:
      "is the BGP identifier of every node that carries the network, and nodes with the same one drop each other's " +
      "routes (RFC 4456 section 8)",
  },
  {
    key: "routeDistinguisher",
    code: "SharedRouteDistinguisher",
    message:
      "is the route distinguisher of every node that carries the network, and of equal routes of two nodes a route " +
      "reflector passes on only one (RFC 7432 section 7.9 wants one per node)",
  },
] as const;

/** FRR derives it like this, so that it is no mistake among FRR alone. */
function routeTargetWarnings({ vxlan: { vni, bgp } }: SpeakerNetwork): readonly Finding[] {
  if (isUnknown(vni) || bgp.routeTarget !== "frr") return [];
  return (["myAsn", "peerAsn"] as const)
    .filter((key) => !isUnknown(bgp[key]) && truncatedAsn(bgp[key]) === 0)
    .slice(0, 1)
    .map((key) => ({
      code: "AutomaticRouteTarget",
      path: ["vxlan", "bgp", key],
      value: bgp[key],
      message: `gives the route target 0:${vni}, as in FRR, and 0 is no AS (RFC 7607): other routers may refuse it`,
      remedy: `set bgp.routeTarget, such as "65001:${vni}", here and on the peers`,
    }));
}

function underlayWarnings({ nodeNet, remotes, bgp }: Vxlan, podNetworks: readonly string[]): readonly Finding[] {
  const prefix = parseHostPrefix(nodeNet);
  if (prefix === undefined) return [];
  const pods = podNetworks.find((text) => {
    const podNetwork = parseHostPrefix(text);
    return podNetwork !== undefined && overlaps(podNetwork, prefix);
  });
  const inPods: Finding[] =
    pods === undefined
      ? []
      : [
          {
            code: "OverlapsPodNetwork",
            path: ["vxlan", "nodeNet"],
            value: nodeNet,
            message: `overlaps the pod network ${pods}: pods could have addresses of nodes`,
            remedy: "keep it if nodes and pods share a network, else one of the two is wrong",
          },
        ];
  return [
    ...inPods,
    ...edgeWarnings(remotes ?? [], ["vxlan", "remotes"], prefix),
    ...edgeWarnings(bgp?.peers ?? [], ["vxlan", "bgp", "peers"], prefix),
  ];
}

/** No mistake for certain: nodeNet may be a range of loopback addresses, each a prefix of its own. */
function edgeWarnings(addresses: readonly string[], path: Path, nodeNet: Prefix): readonly Finding[] {
  return addresses.flatMap((text, index): readonly Finding[] => {
    const address = parseAddress(text);
    if (address === undefined || !containsAddress(nodeNet, address) || !isEdge(nodeNet, address)) return [];
    const message = `is the network or broadcast address of nodeNet ${formatPrefix(nodeNet)}`;
    const remedy = "write the address of a host, or keep it where these are loopback addresses";
    return [{ code: "NetworkAddress", path: [...path, index], value: text, message, remedy }];
  });
}

function subnetWarnings(network: UnnamedNetwork, podNetworks: readonly string[]): readonly Finding[] {
  return network.routing.flatMap((routing, index): Finding[] => {
    const warnings: Finding[] = [];
    if (parseHostPrefix(routing.cidr) !== undefined && lacksPods(familyOf(routing.cidr), podNetworks)) {
      warnings.push({
        code: "NoPodNetworkOfFamily",
        path: ["routing", index, "cidr"],
        value: routing.cidr,
        message: `has no IPv${familyOf(routing.cidr)} podNetworks: pods will not be reachable from it`,
        remedy: "add the cluster's pod and service networks of this family",
      });
    }
    if (holdsOnlyGateway(routing)) {
      warnings.push({
        code: "NoAssignableAddress",
        path: ["routing", index, "cidr"],
        value: routing.cidr,
        message: "holds no address beside the gateway's: customers get none",
        remedy: "write the provider's whole subnet, or the router's own address as gateway with routing.onlink",
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

function holdsOnlyGateway(routing: Routing): boolean {
  return parseHostPrefix(routing.cidr) !== undefined && assignableRanges(routing).length === 0;
}

/** A node without any pods says so with an empty list. */
function lacksPods(family: Family, podNetworks: readonly string[]): boolean {
  return (
    podNetworks.length > 0 && !podNetworks.some(isUnknown) && podNetworks.every((text) => familyOf(text) !== family)
  );
}
