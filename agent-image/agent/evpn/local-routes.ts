import type { SpeakerPlan } from "../../../model/index.js";
import { zeroEthernetSegment } from "../bgp/codec/evpn-nlri.js";
import { type ExtendedCommunity, vxlanTunnelType } from "../bgp/codec/extended-community.js";
import type { Announcement } from "../bgp/codec/update.js";
import type { OriginatedRoute } from "../bgp/rib/adj-rib-out.js";
import type { LocalHostClaim } from "./host-claims.js";

/** What a node has of one network. */
export interface LocalState {
  readonly plan: SpeakerPlan;
  /** Addresses that this node answers for. */
  readonly addresses: readonly string[];
  /** MAC mobility number of our MAC in this network; 0 is sent as absence (RFC 7432 section 15). */
  readonly sequence: number;
  /** Hosts behind its bridge, with MACs of their own. */
  readonly hosts?: readonly Pick<LocalHostClaim, "mac" | "addresses" | "sequence">[];
}

/** VLAN-based service: one broadcast domain for each VNI, so the tag is 0 (RFC 7432 section 6.1, RFC 8365 section 5.1.3). */
const ethernetTag = 0;

/** What routers use when nobody prefers anything; FRR sends the same. */
const localPreference = 100;

/**
 * The routes of one network: Type-3 for flooded frames, Type-2 with the MAC alone while the interface exists, and Type-2
 * with MAC and IP for each address; of hosts behind the bridge the same. Some receivers install a MAC only from the route without IP.
 */
export function localRoutes({ plan, addresses, sequence, hosts = [] }: LocalState): OriginatedRoute[] {
  const common = sharedAttributes(plan);
  const flooding: Announcement = {
    ...common,
    // RFC 8365 section 5.1.3: with VXLAN the label of the tunnel is the VNI (FRRouting/frr#3788).
    ingressReplication: { label: plan.vni, endpoint: plan.vtep },
  };
  const { routeDistinguisher } = plan;
  return [
    {
      route: { kind: "inclusive-multicast", routeDistinguisher, ethernetTag, originator: plan.vtep },
      announcement: flooding,
    },
    ...[{ mac: plan.mac, addresses, sequence }, ...hosts].flatMap((host) => hostRoutes(plan, common, host)),
  ];
}

function hostRoutes(
  { routeDistinguisher, vni }: SpeakerPlan,
  common: SharedAttributes,
  { mac, addresses, sequence }: Pick<LocalHostClaim, "mac" | "addresses" | "sequence">,
): OriginatedRoute[] {
  const announcement: Announcement = {
    ...common,
    extendedCommunities: [...common.extendedCommunities, ...mobility(sequence)],
    ingressReplication: undefined,
  };
  return [undefined, ...addresses].map((ip) => ({
    route: {
      kind: "mac-ip",
      routeDistinguisher,
      ethernetSegment: zeroEthernetSegment,
      ethernetTag,
      mac,
      ip,
      label: vni,
      label2: undefined,
    },
    announcement,
  }));
}

type SharedAttributes = Omit<Announcement, "ingressReplication">;

function sharedAttributes(plan: SpeakerPlan): SharedAttributes {
  const internal = plan.localAsn === plan.peerAsn;
  return {
    nextHop: plan.vtep,
    asPath: internal ? [] : [plan.localAsn],
    localPreference: internal ? localPreference : undefined,
    extendedCommunities: [
      { kind: "encapsulation", tunnelType: vxlanTunnelType },
      ...plan.exportRouteTargets.map((value) => ({ kind: "route-target", value }) as const),
    ],
  };
}

function mobility(sequence: number): ExtendedCommunity[] {
  return sequence === 0 ? [] : [{ kind: "mac-mobility", sticky: false, sequence }];
}
