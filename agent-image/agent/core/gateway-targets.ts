import { parseAddress } from "../../../model/address/address.js";
import { containsAddress, parsePrefix } from "../../../model/address/prefix.js";
import type { LinkFact, NodePlan } from "../../../model/index.js";
import type { OwnedAddress } from "../addresses/owned-addresses.js";

/** A gateway that packets of a network leave by, and as whom to ask for it. */
export interface GatewayTarget {
  readonly network: string;
  readonly device: string;
  /** Of the interface. */
  readonly mac: string;
  readonly gateway: string;
  /** An address that the gateway takes for a neighbour. Absent: nobody is asking, which is a probe. */
  readonly sender?: string;
}

/**
 * The IPv4 gateways of the networks whose interface is up. The kernel would ask for them with some address of another
 * interface where ours has none, and gateways ignore that. (For IPv6 it asks with the interface's own fe80 address, which
 * every router takes.)
 *
 * @param confirmed whether what is owned is known to be ours still: only then is an owned address the sender
 */
export function gatewayTargets(
  plan: NodePlan,
  links: readonly LinkFact[],
  owned: readonly OwnedAddress[],
  confirmed: boolean,
): readonly GatewayTarget[] {
  return plan.networks.flatMap(({ network, link: { name: device }, announcements }) => {
    const link = links.find(({ name }) => name === device);
    if (link?.mac === undefined || !link.up) {
      return [];
    }
    const { mac } = link;
    return announcements
      .filter(({ family }) => family === 4)
      .map(({ prefix, gateway }) => {
        const sender = confirmed ? senderIn(prefix, network, owned) : undefined;
        return { network, device, mac, gateway, ...(sender === undefined ? {} : { sender }) };
      });
  });
}

function senderIn(text: string, network: string, owned: readonly OwnedAddress[]): string | undefined {
  const prefix = parsePrefix(text);
  return owned.find((candidate) => {
    const address = parseAddress(candidate.address);
    const elsewhere = candidate.source.kind === "metallb" && candidate.source.elsewhere;
    const inPrefix = prefix !== undefined && address !== undefined && containsAddress(prefix, address);
    return candidate.network === network && !elsewhere && inPrefix;
  })?.address;
}
