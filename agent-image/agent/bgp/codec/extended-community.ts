import { formatAdministratorValue, isAdministratorType, parseAdministratorValue } from "./administrator-value.js";
import { macFromBytes, macToBytes } from "./mac-address.js";

/** RFC 4360 section 2: every extended community has 8 bytes. */
export const extendedCommunityLength = 8;

export type ExtendedCommunity =
  | { readonly kind: "route-target"; readonly value: string }
  | { readonly kind: "encapsulation"; readonly tunnelType: number }
  | { readonly kind: "mac-mobility"; readonly sticky: boolean; readonly sequence: number }
  | { readonly kind: "default-gateway" }
  /** Of a multihomed segment: how frames from it are told apart (RFC 7432 section 7.5). */
  | { readonly kind: "esi-label"; readonly singleActive: boolean; readonly label: number }
  /** Which routers import a Type-4 route: six bytes of its ESI (RFC 7432 section 7.6). */
  | { readonly kind: "es-import"; readonly mac: string }
  /** The inner destination of symmetric routing (RFC 9135 section 8.1). */
  | { readonly kind: "router-mac"; readonly mac: string }
  /** What a proxy may answer for the address of the route (RFC 9047 section 2). */
  | { readonly kind: "arp-nd"; readonly router: boolean; readonly override: boolean; readonly immutable: boolean }
  | { readonly kind: "unknown"; readonly hex: string };

/** Tunnel type of VXLAN in the encapsulation community (RFC 8365 section 5.1.3, IANA). */
export const vxlanTunnelType = 8;

const routeTargetSubtype = 0x02;
/** Type 0x03 (opaque) with subtypes 0x0c (RFC 9012 section 4.1) and 0x0d (RFC 7432 section 7.8). */
const encapsulation = 0x030c;
const defaultGateway = 0x030d;
/** Type 0x06 (EVPN), subtype 0x00 (RFC 7432 section 7.7). */
const macMobility = 0x0600;
const stickyFlag = 0x01;
/** Type 0x06, subtypes 0x01 and 0x02 (RFC 7432 sections 7.5 and 7.6), 0x03 (RFC 9135) and 0x08 (RFC 9047). */
const esiLabel = 0x0601;
const esImport = 0x0602;
const routerMac = 0x0603;
const arpNd = 0x0608;
const singleActiveFlag = 0x01;
const arpNdFlags = { router: 0x01, override: 0x02, immutable: 0x08 } as const;

/** `bytes` are exactly 8. */
export function decodeExtendedCommunity(bytes: Buffer): ExtendedCommunity {
  const type = bytes.readUInt8(0);
  if (isAdministratorType(type) && bytes.readUInt8(1) === routeTargetSubtype) {
    return { kind: "route-target", value: formatAdministratorValue(type, bytes.subarray(2)) };
  }
  switch (bytes.readUInt16BE(0)) {
    case encapsulation:
      return { kind: "encapsulation", tunnelType: bytes.readUInt16BE(6) };
    case macMobility:
      return {
        kind: "mac-mobility",
        sticky: (bytes.readUInt8(2) & stickyFlag) !== 0,
        sequence: bytes.readUInt32BE(4),
      };
    case defaultGateway:
      return { kind: "default-gateway" };
    case esiLabel:
      return {
        kind: "esi-label",
        singleActive: (bytes.readUInt8(2) & singleActiveFlag) !== 0,
        label: bytes.readUIntBE(5, 3),
      };
    case esImport:
      return { kind: "es-import", mac: macFromBytes(bytes.subarray(2)) };
    case routerMac:
      return { kind: "router-mac", mac: macFromBytes(bytes.subarray(2)) };
    case arpNd: {
      const flags = bytes.readUInt8(2);
      return {
        kind: "arp-nd",
        router: (flags & arpNdFlags.router) !== 0,
        override: (flags & arpNdFlags.override) !== 0,
        immutable: (flags & arpNdFlags.immutable) !== 0,
      };
    }
    default:
      return { kind: "unknown", hex: bytes.toString("hex") };
  }
}

export function encodeExtendedCommunity(community: ExtendedCommunity): Buffer {
  switch (community.kind) {
    case "route-target": {
      const { type, bytes } = parseAdministratorValue(community.value);
      return Buffer.concat([Buffer.from([type, routeTargetSubtype]), bytes]);
    }
    case "encapsulation": {
      const bytes = header(encapsulation);
      bytes.writeUInt16BE(community.tunnelType, 6);
      return bytes;
    }
    case "mac-mobility": {
      const bytes = header(macMobility);
      bytes.writeUInt8(community.sticky ? stickyFlag : 0, 2);
      bytes.writeUInt32BE(community.sequence, 4);
      return bytes;
    }
    case "default-gateway":
      return header(defaultGateway);
    case "esi-label": {
      const bytes = header(esiLabel);
      bytes.writeUInt8(community.singleActive ? singleActiveFlag : 0, 2);
      bytes.writeUIntBE(community.label, 5, 3);
      return bytes;
    }
    case "es-import":
      return withMac(esImport, community.mac);
    case "router-mac":
      return withMac(routerMac, community.mac);
    case "arp-nd": {
      const names = Object.keys(arpNdFlags) as (keyof typeof arpNdFlags)[];
      const bytes = header(arpNd);
      bytes.writeUInt8(
        names.filter((name) => community[name]).reduce((flags, name) => flags | arpNdFlags[name], 0),
        2,
      );
      return bytes;
    }
    case "unknown":
      return Buffer.from(community.hex, "hex");
  }
}

function withMac(typeAndSubtype: number, mac: string): Buffer {
  const bytes = header(typeAndSubtype);
  bytes.set(macToBytes(mac), 2);
  return bytes;
}

function header(typeAndSubtype: number): Buffer {
  const bytes = Buffer.alloc(extendedCommunityLength);
  bytes.writeUInt16BE(typeAndSubtype, 0);
  return bytes;
}
