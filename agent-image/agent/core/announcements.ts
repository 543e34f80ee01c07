import { parseAddress } from "../../../model/address/address.js";
import { containsAddress, type Prefix, parsePrefix } from "../../../model/address/prefix.js";
import type { AnnouncementPlan, LinkFact, NetworkPlan, NodePlan, PlanCondition } from "../../../model/index.js";
import type { Announcement } from "../announce/schedule.js";
import type { FollowedAddresses } from "./ports.js";

export interface PlannedAnnouncements {
  readonly announcements: readonly Announcement[];
  /** By network. */
  readonly notices: ReadonlyMap<string, readonly PlanCondition[]>;
}

/** Which owned addresses are announced on which interface, and what to tell people where one is not. */
export function planAnnouncementsOf(
  { owned, confirmed, repeated }: Pick<FollowedAddresses, "owned" | "confirmed" | "repeated">,
  plan: NodePlan,
  links: readonly LinkFact[],
): PlannedAnnouncements {
  const announcements: Announcement[] = [];
  const notices = new Map<string, readonly PlanCondition[]>();
  const notice = (network: string, condition: PlanCondition): void => {
    notices.set(network, [...(notices.get(network) ?? []), condition]);
  };
  const networks = new Map(plan.networks.map((network) => [network.network, announcingNetwork(network)]));
  const linksByName = new Map(links.map((link) => [link.name, link]));
  for (const { network: name, address, source } of owned) {
    const network = networks.get(name);
    const announcement = network === undefined ? undefined : announcementOf(network, address);
    const link = network === undefined ? undefined : linksByName.get(network.device);
    if (network === undefined || announcement === undefined || link?.mac === undefined || !link.up) {
      continue;
    }
    if (source.kind === "metallb" && source.elsewhere) {
      notice(name, elsewhere(source.service, network.device));
    } else {
      const { family, gateway, interval } = announcement;
      announcements.push({
        device: link.name,
        mac: link.mac,
        family,
        address,
        gateway,
        interval,
        periodic: confirmed,
        repeated: repeated && source.kind === "metallb",
      });
    }
  }
  return { announcements, notices };
}

/** With its prefixes read once for all of its addresses. */
interface AnnouncingNetwork {
  readonly device: string;
  readonly announcements: readonly { readonly prefix: Prefix; readonly announcement: AnnouncementPlan }[];
}

function announcingNetwork({ link, announcements }: NetworkPlan): AnnouncingNetwork {
  return {
    device: link.name,
    announcements: announcements.flatMap((announcement) => {
      const prefix = announcement.enabled ? parsePrefix(announcement.prefix) : undefined;
      return prefix === undefined ? [] : [{ prefix, announcement }];
    }),
  };
}

function announcementOf({ announcements }: AnnouncingNetwork, text: string): AnnouncementPlan | undefined {
  const address = parseAddress(text);
  return address === undefined
    ? undefined
    : announcements.find(({ prefix }) => containsAddress(prefix, address))?.announcement;
}

function elsewhere(service: string, device: string): PlanCondition {
  return {
    reason: "AnsweredElsewhere",
    message:
      `MetalLB answers for Service ${service} on other interfaces than ${device} and would not answer there, so its ` +
      `address is not announced; add ${device} to the interfaces of its L2Advertisement`,
  };
}
