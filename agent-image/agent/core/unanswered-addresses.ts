import { parseAddress } from "../../../model/address/address.js";
import type { NodePlan, PlanCondition } from "../../../model/index.js";
import type { OwnedAddress } from "../addresses/owned-addresses.js";
import { boundedList } from "../status/bounded-message.js";

/**
 * Values of arp_ignore with which the kernel does not answer on an interface for an address of another one: 1 and 2 want it
 * on the interface that was asked on, 8 answers nothing (arp_ignore() of net/ipv4/arp.c). kube-proxy sets 1 with strictARP.
 */
const ignoringElsewhere = [1, 2, 8];

/**
 * By network: addresses on lo that the kernel does not answer for when somebody on the segment asks. They are announced all
 * the same, and reached for as long as the gateway believes that.
 *
 * @param arpIgnore as it counts for an interface
 */
export function unansweredAddresses(
  owned: readonly OwnedAddress[],
  plan: NodePlan,
  arpIgnore: (device: string) => number,
): ReadonlyMap<string, readonly PlanCondition[]> {
  const devices = new Map(plan.networks.map(({ network, link }) => [network, link.name]));
  const ignoring = new Map<string, boolean>();
  const ignores = (device: string): boolean => {
    const known = ignoring.get(device) ?? ignoringElsewhere.includes(arpIgnore(device));
    ignoring.set(device, known);
    return known;
  };
  const unanswered = owned.filter(({ network, address, source }) => {
    const device = devices.get(network);
    // An IPv6 address is answered for on its own interface alone (ndisc_recv_ns).
    const silent = device !== undefined && (parseAddress(address)?.family === 6 || ignores(device));
    return source.kind === "interface" && source.device === "lo" && silent;
  });
  return new Map(
    [...Map.groupBy(unanswered, ({ network }) => network)].map(([network, addresses]) => [
      network,
      [kernelDoesNotAnswer(addresses, devices.get(network) ?? "")],
    ]),
  );
}

function kernelDoesNotAnswer(addresses: readonly OwnedAddress[], device: string): PlanCondition {
  return {
    reason: "KernelDoesNotAnswer",
    message:
      `${boundedList(addresses.map(({ address }) => address)).join(", ")}: on lo, where the kernel does not answer for it to ` +
      `who asks on ${device} (IPv6 never, IPv4 with arp_ignore 1, 2 or 8); put it on ${device} instead, as /32 or /128 ` +
      "with noprefixroute (where arp_ignore is 2 or 8 that is not enough: set it to 1)",
  };
}
