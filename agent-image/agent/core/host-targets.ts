import { formatAddress, parseAddress } from "../../../model/address/address.js";
import { containsAddress, parsePrefix } from "../../../model/address/prefix.js";
import type { NodePlan } from "../../../model/index.js";
import { defaultMacLimit } from "../../../model/numbers/limits.js";

/** A network whose bridge may have hosts behind it that are announced. */
export interface HostTarget {
  readonly network: string;
  readonly bridge: string;
  /** MAC of the bridge: as whom its hosts are asked. */
  readonly mac: string;
  /** The port to the segment. */
  readonly segment: string;
  readonly prefixes: readonly string[];
  /** Canonical. */
  readonly gateways: readonly string[];
  /** Hosts that are announced. */
  readonly limit: number;
}

/** The networks with a bridge and with BGP: without the one nobody is behind this node, without the other nobody hears of it. */
export function hostTargets(plan: NodePlan): readonly HostTarget[] {
  return plan.networks.flatMap(({ network, link, speaker, announcements }) => {
    if (link.kind !== "bridge" || speaker === undefined) return [];
    return [
      {
        network,
        bridge: link.name,
        mac: link.mac,
        segment: link.tunnel.name,
        prefixes: announcements.map(({ prefix }) => prefix),
        gateways: announcements.flatMap(({ gateway }) => {
          const address = parseAddress(gateway);
          return address === undefined ? [] : [formatAddress(address)];
        }),
        limit: speaker.maxMacs ?? defaultMacLimit,
      },
    ];
  });
}

/**
 * Which addresses a host of the network may have: those of its prefixes. The gateway's is none of them, for one machine that spoke
 * for it by mistake would take the packets of all nodes; where the gateway is a machine, its MAC is announced, and ARP finds it.
 */
export function hostAddresses({ prefixes, gateways }: HostTarget): (address: string) => boolean {
  const parsed = prefixes.flatMap((text) => parsePrefix(text) ?? []);
  return (text) => {
    const address = parseAddress(text);
    return (
      address !== undefined && !gateways.includes(text) && parsed.some((prefix) => containsAddress(prefix, address))
    );
  };
}
