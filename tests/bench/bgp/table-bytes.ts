import { type EvpnRoute, zeroEthernetSegment } from "../../../agent-image/agent/bgp/codec/evpn-nlri.js";
import { vxlanTunnelType } from "../../../agent-image/agent/bgp/codec/extended-community.js";
import { maximumMessageLength } from "../../../agent-image/agent/bgp/codec/message-header.js";
import { type Announcement, encodeAnnouncement, encodeEndOfRib } from "../../../agent-image/agent/bgp/codec/update.js";

/** What the sender announces of each host. */
export const routeForms = ["mac-ip", "mac"] as const;
export type RouteForm = (typeof routeForms)[number];

export const asn = 65001;
/** Of a row of hundreds: no routing table of theirs has a number that is taken (253 to 255). */
export const firstVni = 1000;
export const senderAddress = "10.0.7.19";
/** Where hosts move to. */
export const secondVtep = "10.0.7.30";

/** 100.64.0.0, of which RFC 6598 gives four million. */
const firstIp = 0x64400000;
const encoding = { fourOctetAs: true, maximumMessageLength };

/** Of a host with this number. */
export function hostMac(host: number): string {
  return `02:00:${[24, 16, 8, 0].map((shift) => octet(host, shift).toString(16).padStart(2, "0")).join(":")}`;
}

/** UPDATE messages of one network: the Type-3 of both VTEPs, and a Type-2 of each host with one set of attributes. */
export function tableBytes(vni: number, hosts: number, form: RouteForm): Buffer {
  const routes = Array.from({ length: hosts }, (_, host) => hostRoute(vni, senderAddress, host, form));
  return Buffer.concat([
    ...[senderAddress, secondVtep].flatMap((vtep) => floodBytes(vni, vtep)),
    ...encodeAnnouncement(routes, announcement(vni, senderAddress, 0), encoding),
  ]);
}

/** A host is heard at the second VTEP (RFC 7432 section 15): a route of that VTEP's own, with the number 1. */
export function moveBytes(vni: number, host: number, form: RouteForm): Buffer {
  const route = hostRoute(vni, secondVtep, host, form);
  return Buffer.concat(encodeAnnouncement([route], announcement(vni, secondVtep, 1), encoding));
}

export const endOfRib = encodeEndOfRib();

function floodBytes(vni: number, vtep: string): Buffer[] {
  const route: EvpnRoute = {
    kind: "inclusive-multicast",
    routeDistinguisher: `${vtep}:${vni}`,
    ethernetTag: 0,
    originator: vtep,
  };
  const flooding = { ...announcement(vni, vtep, 0), ingressReplication: { label: vni, endpoint: vtep } };
  return encodeAnnouncement([route], flooding, encoding);
}

function hostRoute(vni: number, vtep: string, host: number, form: RouteForm): EvpnRoute {
  const ip = [24, 16, 8, 0].map((shift) => octet(firstIp + host, shift)).join(".");
  return {
    kind: "mac-ip",
    routeDistinguisher: `${vtep}:${vni}`,
    ethernetSegment: zeroEthernetSegment,
    ethernetTag: 0,
    mac: hostMac(host),
    ip: form === "mac" ? undefined : ip,
    label: vni,
    label2: undefined,
  };
}

function announcement(vni: number, nextHop: string, sequence: number): Announcement {
  return {
    nextHop,
    asPath: [],
    localPreference: 100,
    extendedCommunities: [
      { kind: "encapsulation", tunnelType: vxlanTunnelType },
      { kind: "route-target", value: `${asn}:${vni}` },
      ...(sequence === 0 ? [] : [{ kind: "mac-mobility", sticky: false, sequence } as const]),
    ],
    ingressReplication: undefined,
  };
}

function octet(value: number, shift: number): number {
  return (value >>> shift) & 0xff;
}
