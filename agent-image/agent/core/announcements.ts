import { parseAddress } from "../../../model/address/address.js";
import { containsAddress, parsePrefix } from "../../../model/address/prefix.js";
import type { AnnouncementPlan, LinkFact, NetworkPlan, NodePlan, PlanCondition } from "../../../model/index.js";
import type { OwnedAddress } from "../addresses/owned-addresses.js";
import type { Announcement } from "../announce/schedule.js";

export interface PlannedAnnouncements {
  readonly announcements: readonly Announcement[];
  /** By network. */
  readonly notices: ReadonlyMap<string, readonly PlanCondition[]>;
}

/** Which owned addresses are announced on which interface, and what to tell people where one is not. */
export function planAnnouncementsOf(
  owned: readonly OwnedAddress[],
  plan: NodePlan,
  links: readonly LinkFact[],
  periodic: boolean,
): PlannedAnnouncements {
  const announcements: Announcement[] = [];
  const notices = new Map<string, readonly PlanCondition[]>();
  const notice = (network: string, condition: PlanCondition): void => {
    notices.set(network, [...(notices.get(network) ?? []), condition]);
  };
  for (const { network: name, address, source } of owned) {
    const network = plan.networks.find((planned) => planned.network === name);
    const announcement = network === undefined ? undefined : announcementOf(network, address);
    const link = links.find((fact) => fact.name === network?.link.name);
    if (network === undefined || announcement === undefined || link?.mac === undefined || !link.up) {
      continue;
    }
    if (source.kind === "metallb" && source.elsewhere) {
      notice(name, elsewhere(source.service, network.link.name));
    } else {
      const { family, gateway, interval } = announcement;
      announcements.push({ device: link.name, mac: link.mac, family, address, gateway, interval, periodic });
    }
  }
  return { announcements, notices };
}

function announcementOf(network: NetworkPlan, address: string): AnnouncementPlan | undefined {
  const parsed = parseAddress(address);
  return network.announcements.find(({ enabled, prefix: text }) => {
    const prefix = parsePrefix(text);
    return enabled && parsed !== undefined && prefix !== undefined && containsAddress(prefix, parsed);
  });
}

function elsewhere(service: string, device: string): PlanCondition {
  return {
    reason: "AnsweredElsewhere",
    message:
      `MetalLB answers for Service ${service} on other interfaces than ${device} and would not answer there, so its ` +
      `address is not announced; add ${device} to the interfaces of its L2Advertisement`,
  };
}
