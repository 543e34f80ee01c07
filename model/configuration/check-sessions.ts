import { parseAddress } from "../address/address.js";
import { containsAddress, overlaps, type Prefix, parsePrefix } from "../address/prefix.js";
import { activeBfd, showBfd } from "./bfd.js";
import type { Locate, NetworkFinding, NetworkSet } from "./check-networks.js";
import type { Bgp } from "./configuration.js";
import { type Finding, renderPath } from "./finding.js";
import { isSecretKey } from "./hidden-secrets.js";
import { canMeet } from "./node-selector.js";
import { isSpeaker, type SpeakerNetwork } from "./speaker-network.js";
import { hasUnknown, isUnknown } from "./unknown-value.js";

/** A network that speaks to a peer, and the prefix in which its node finds its VTEP address. */
interface Speaking {
  readonly network: number;
  readonly spec: SpeakerNetwork;
  readonly nodeNet: Prefix;
}

/**
 * BGP allows one session between two addresses (metallb/metallb#114), so networks with the same (local, peer) pair share
 * it, parameters and all. Only what certainly speaks from one address is compared; what else meets on a node, the node says
 * itself. A network is told once of each parameter.
 */
export function sessionFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const speakersByPeer = new Map<string, Speakers>();
  const findings = new Map<string, NetworkFinding>();
  for (const [index, network] of networks.entries()) {
    if (network === undefined || !isSpeaker(network)) continue;
    const nodeNet = parsePrefix(network.vxlan.nodeNet);
    if (nodeNet === undefined) continue;
    const later: Speaking = { network: index, spec: network, nodeNet };
    for (const peer of network.vxlan.bgp.peers.filter((peer) => !isUnknown(peer))) {
      const speakers = speakersByPeer.get(peer) ?? new Speakers();
      speakersByPeer.set(peer, speakers);
      for (const other of speakers.withOtherParameters(later)) {
        if (!speakFromOneAddress(other, later)) continue;
        for (const finding of differences(later, other, peer, locate)) {
          const key = `${index} ${renderPath(finding.path)}`;
          if (!findings.has(key)) findings.set(key, { network: index, finding });
        }
      }
      speakers.add(later);
    }
  }
  return [...findings.values()];
}

/**
 * The networks of a peer by their parameters. Those with the same ones agree, and they are mostly all: a thousand networks
 * are not compared each with each. Of those that also speak from the same place for the same nodes the first stands for all.
 */
class Speakers {
  readonly #byParameters = new Map<string, Map<string, Speaking>>();

  add(speaking: Speaking): void {
    const key = parametersKey(speaking);
    const same = this.#byParameters.get(key) ?? new Map<string, Speaking>();
    this.#byParameters.set(key, same);
    const { vxlan, nodeSelector } = speaking.spec;
    const place = JSON.stringify([vxlan.nodeNet, vxlan.nodeInterface, vxlan.bgp.sourceAddress, nodeSelector]);
    if (!same.has(place)) same.set(place, speaking);
  }

  *withOtherParameters(speaking: Speaking): Iterable<Speaking> {
    const own = parametersKey(speaking);
    for (const [key, others] of this.#byParameters) if (key !== own) yield* others.values();
  }
}

function parametersKey({ spec }: Speaking): string {
  const { bgp } = spec.vxlan;
  const written = [...sessionParameters, "routerId" as const].map((key) => bgp[key] ?? absent[key] ?? null);
  return JSON.stringify([...written, showBfd(activeBfd(bgp))]);
}

/**
 * On a node that carries both. Of declared sources equal ones give one address; one beside none may be the VTEP address, which
 * the node knows. Without: an address of the narrower nodeNet is one of the wider too, and were there a second one in
 * the wider, that network would not find its address at all. Different interfaces have different addresses.
 */
function speakFromOneAddress(one: Speaking, other: Speaking): boolean {
  const [source, otherSource] = [one.spec.vxlan.bgp.sourceAddress, other.spec.vxlan.bgp.sourceAddress];
  const oneAddress =
    source === undefined && otherSource === undefined
      ? overlaps(one.nodeNet, other.nodeNet) &&
        one.spec.vxlan.nodeInterface === other.spec.vxlan.nodeInterface &&
        !isUnknown(one.spec.vxlan.nodeInterface)
      : source === otherSource && !isUnknown(source);
  return (
    oneAddress &&
    !hasUnknown([one.spec.nodeSelector, other.spec.nodeSelector]) &&
    canMeet(one.spec.nodeSelector, other.spec.nodeSelector)
  );
}

/** What one session has one of, besides the router id and BFD. */
const sessionParameters = ["myAsn", "peerAsn", "holdTime", "passwordFile", "ttlSecurity", "allowOwnAs"] as const;

/** What a key means that is not written. */
const absent: Partial<Bgp> = { allowOwnAs: 0 };

function differences(later: Speaking, earlier: Speaking, peer: string, locate: Locate): readonly Finding[] {
  const place = (key: keyof Bgp) => locate(earlier.network, ["vxlan", "bgp", key]);
  const [own, other] = [later.spec.vxlan.bgp, earlier.spec.vxlan.bgp];
  const different = sessionParameters.filter(
    (key) =>
      (own[key] ?? absent[key]) !== (other[key] ?? absent[key]) && !isUnknown(own[key]) && !isUnknown(other[key]),
  );
  const messages: readonly (readonly [keyof Bgp, string])[] = [
    ...different.map((key) => [key, parameterDifference(key, own[key], other[key], place(key))] as const),
    ...routerIdDifference(later, earlier, place("routerId")).map((message) => ["routerId", message] as const),
    ...bfdDifference(own, other, place("bfd")).map((message) => ["bfd", message] as const),
  ];
  return messages.map(([key, message]) => ({
    code: "SessionParametersDiffer",
    path: ["vxlan", "bgp", key],
    value: key === "bfd" ? undefined : own[key],
    message: `${message}, and a router keeps one session per address (${peer})`,
    remedy: "write the same in both, or give this network other peers",
  }));
}

function parameterDifference(key: keyof Bgp, own: unknown, other: unknown, place: string): string {
  if (own === undefined) return `is missing and stands at ${place}`;
  if (other === undefined) return `stands here and not at ${place}`;
  // Where a file is meant a password may stand, which is not shown.
  return isSecretKey(key) ? `is not what stands at ${place}` : `is not the ${other} of ${place}`;
}

function bfdDifference(own: Bgp, other: Bgp, place: string): readonly string[] {
  if (hasUnknown([own.bfd, other.bfd])) return [];
  const [shown, otherShown] = [showBfd(activeBfd(own)), showBfd(activeBfd(other))];
  return shown === otherShown ? [] : [`is ${shown} and not ${otherShown} as ${place}`];
}

/** One that is not written follows from the VTEP address, and is the same only where just that is written. */
function routerIdDifference(later: Speaking, earlier: Speaking, place: string): readonly string[] {
  const [own, other] = [later.spec.vxlan.bgp.routerId, earlier.spec.vxlan.bgp.routerId];
  if (own === other || isUnknown(own) || isUnknown(other)) return [];
  if (own !== undefined && other !== undefined) return [`is not the ${other} of ${place}`];
  const written = parseAddress(own ?? other ?? "");
  const narrow = later.nodeNet.length > earlier.nodeNet.length ? later : earlier;
  const unwritten = own === undefined ? later : earlier;
  // Networks that share a declared source may stand on two VTEP addresses.
  const vtepNet = later.spec.vxlan.bgp.sourceAddress === undefined ? narrow.nodeNet : unwritten.nodeNet;
  if (written === undefined || containsAddress(vtepNet, written)) return [];
  return own === undefined
    ? [`is missing and follows from the VTEP address, which is not the ${other} of ${place}`]
    : [`is not what follows from the VTEP address, as in the network without ${place}`];
}
