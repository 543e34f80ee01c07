import { formatAdministratorValue, isAdministratorType, parseAdministratorValue } from "./administrator-value.js";

/** RFC 4360 section 2: every extended community has 8 bytes. */
export const extendedCommunityLength = 8;

export type ExtendedCommunity =
  | { readonly kind: "route-target"; readonly value: string }
  | { readonly kind: "encapsulation"; readonly tunnelType: number }
  | { readonly kind: "mac-mobility"; readonly sticky: boolean; readonly sequence: number }
  | { readonly kind: "default-gateway" }
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
    case "unknown":
      return Buffer.from(community.hex, "hex");
  }
}

function header(typeAndSubtype: number): Buffer {
  const bytes = Buffer.alloc(extendedCommunityLength);
  bytes.writeUInt16BE(typeAndSubtype, 0);
  return bytes;
}
