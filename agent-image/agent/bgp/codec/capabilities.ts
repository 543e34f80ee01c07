import { type AddressFamily, evpnFamilyBytes } from "./address-family.js";
import { errorCodes } from "./bgp-error.js";
import { ByteReader } from "./byte-reader.js";

/** RFC 5492 section 4: capability code (1) | length (1) | value. */
export type Capability =
  | { readonly kind: "multiprotocol"; readonly family: AddressFamily }
  | { readonly kind: "route-refresh" }
  | { readonly kind: "enhanced-route-refresh" }
  | { readonly kind: "extended-message" }
  | { readonly kind: "graceful-restart"; readonly restart: GracefulRestart }
  | { readonly kind: "long-lived-graceful-restart"; readonly families: readonly LongLivedFamily[] }
  | { readonly kind: "four-octet-as"; readonly as: number }
  | { readonly kind: "unknown"; readonly code: number; readonly value: Buffer };

/** RFC 4724 section 3. */
export interface GracefulRestart {
  /** The R bit: the speaker has just restarted, do not wait for its End-of-RIB. */
  readonly restarted: boolean;
  /** The N bit (RFC 8538 section 2): routes are kept over a NOTIFICATION too, unless it is a Hard Reset. */
  readonly notification: boolean;
  /** Seconds, 12 bits. */
  readonly time: number;
  readonly families: readonly GracefulRestartFamily[];
}

export interface GracefulRestartFamily extends AddressFamily {
  /** The F bit: forwarding went on while the speaker was away. */
  readonly forwardingPreserved: boolean;
}

/** RFC 9494 section 3.1. */
export interface LongLivedFamily extends GracefulRestartFamily {
  /** Seconds for which routes may be kept after the restart time, 24 bits. */
  readonly staleTime: number;
}

const codes = {
  multiprotocol: 1, // RFC 4760 section 8
  routeRefresh: 2, // RFC 2918 section 2
  extendedMessage: 6, // RFC 8654 section 3
  gracefulRestart: 64, // RFC 4724 section 3
  fourOctetAs: 65, // RFC 6793 section 3
  enhancedRouteRefresh: 70, // RFC 7313 section 3.1
  longLivedGracefulRestart: 71, // RFC 9494 section 3.1
} as const;

const restartedFlag = 0x8000;
const notificationFlag = 0x4000;
const restartTimeMask = 0x0fff;
const forwardingPreservedFlag = 0x80;
const longLivedLength = 7;

/** The value of the capability parameter, or of one of several. Unknown codes are kept, repeated ones too (RFC 5492). */
export function decodeCapabilities(field: Buffer): Capability[] {
  const reader = new ByteReader(field, errorCodes.malformedOpen);
  const capabilities: Capability[] = [];
  while (reader.remaining > 0) {
    const code = reader.uint8("capability code");
    const value = reader.bytes(reader.uint8("capability length"), `capability ${code}`);
    capabilities.push(decodeCapability(code, value));
  }
  return capabilities;
}

/** A known code with a length that its RFC does not give is treated as unknown, hence as not offered. */
function decodeCapability(code: number, value: Buffer): Capability {
  const unknown: Capability = { kind: "unknown", code, value };
  switch (code) {
    case codes.multiprotocol:
      return value.length === 4
        ? { kind: "multiprotocol", family: { afi: value.readUInt16BE(0), safi: value.readUInt8(3) } }
        : unknown;
    case codes.routeRefresh:
      return value.length === 0 ? { kind: "route-refresh" } : unknown;
    case codes.enhancedRouteRefresh:
      return value.length === 0 ? { kind: "enhanced-route-refresh" } : unknown;
    case codes.extendedMessage:
      return value.length === 0 ? { kind: "extended-message" } : unknown;
    case codes.gracefulRestart:
      return value.length >= 2 && value.length % 4 === 2
        ? { kind: "graceful-restart", restart: decodeGracefulRestart(value) }
        : unknown;
    case codes.longLivedGracefulRestart:
      // Without any family it says that LLGR is understood, as Cisco's IOS sends it.
      return value.length % longLivedLength === 0
        ? { kind: "long-lived-graceful-restart", families: decodeLongLived(value) }
        : unknown;
    case codes.fourOctetAs:
      return value.length === 4 ? { kind: "four-octet-as", as: value.readUInt32BE(0) } : unknown;
    default:
      return unknown;
  }
}

/** Flags (4 bits) and time (12 bits), then AFI (2) | SAFI (1) | flags (1) for each family. */
function decodeGracefulRestart(value: Buffer): GracefulRestart {
  const head = value.readUInt16BE(0);
  const families: GracefulRestartFamily[] = [];
  for (let offset = 2; offset < value.length; offset += 4) {
    families.push({
      afi: value.readUInt16BE(offset),
      safi: value.readUInt8(offset + 2),
      forwardingPreserved: (value.readUInt8(offset + 3) & forwardingPreservedFlag) !== 0,
    });
  }
  return {
    restarted: (head & restartedFlag) !== 0,
    notification: (head & notificationFlag) !== 0,
    time: head & restartTimeMask,
    families,
  };
}

/** AFI (2) | SAFI (1) | flags (1) | stale time (3) for each family. */
function decodeLongLived(value: Buffer): LongLivedFamily[] {
  return Array.from({ length: value.length / longLivedLength }, (_, index) => {
    const offset = index * longLivedLength;
    return {
      afi: value.readUInt16BE(offset),
      safi: value.readUInt8(offset + 2),
      forwardingPreserved: (value.readUInt8(offset + 3) & forwardingPreservedFlag) !== 0,
      staleTime: value.readUIntBE(offset + 4, 3),
    };
  });
}

export function encodeCapabilities(capabilities: readonly Capability[]): Buffer {
  return Buffer.concat(capabilities.map(encodeCapability));
}

export function encodeCapability(capability: Capability): Buffer {
  switch (capability.kind) {
    case "multiprotocol": {
      const { afi, safi } = capability.family;
      return withCodeAndLength(codes.multiprotocol, Buffer.from([afi >>> 8, afi & 0xff, 0, safi]));
    }
    case "route-refresh":
      return withCodeAndLength(codes.routeRefresh, Buffer.alloc(0));
    case "enhanced-route-refresh":
      return withCodeAndLength(codes.enhancedRouteRefresh, Buffer.alloc(0));
    case "extended-message":
      return withCodeAndLength(codes.extendedMessage, Buffer.alloc(0));
    case "graceful-restart":
      return withCodeAndLength(codes.gracefulRestart, encodeGracefulRestart(capability.restart));
    case "long-lived-graceful-restart":
      return withCodeAndLength(codes.longLivedGracefulRestart, encodeLongLived(capability.families));
    case "four-octet-as": {
      const value = Buffer.alloc(4);
      value.writeUInt32BE(capability.as);
      return withCodeAndLength(codes.fourOctetAs, value);
    }
    case "unknown":
      return withCodeAndLength(capability.code, capability.value);
  }
}

function encodeGracefulRestart(restart: GracefulRestart): Buffer {
  const head = Buffer.alloc(2);
  const flags = (restart.restarted ? restartedFlag : 0) | (restart.notification ? notificationFlag : 0);
  head.writeUInt16BE(flags | (restart.time & restartTimeMask));
  const families = restart.families.map(({ afi, safi, forwardingPreserved }) =>
    Buffer.from([afi >>> 8, afi & 0xff, safi, forwardingPreserved ? forwardingPreservedFlag : 0]),
  );
  return Buffer.concat([head, ...families]);
}

function encodeLongLived(families: readonly LongLivedFamily[]): Buffer {
  return Buffer.concat(
    families.map(({ afi, safi, forwardingPreserved, staleTime }) => {
      const value = Buffer.alloc(longLivedLength);
      value.writeUInt16BE(afi);
      value.writeUInt8(safi, 2);
      value.writeUInt8(forwardingPreserved ? forwardingPreservedFlag : 0, 3);
      value.writeUIntBE(staleTime, 4, 3);
      return value;
    }),
  );
}

function withCodeAndLength(code: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([code, value.length]), value]);
}

/** What a NOTIFICATION 2/7 names when the peer does not speak EVPN (RFC 5492 section 3). */
export const evpnCapabilityBytes: Buffer = Buffer.concat([
  Buffer.from([codes.multiprotocol, 4]),
  evpnFamilyBytes.subarray(0, 2),
  Buffer.from([0]),
  evpnFamilyBytes.subarray(2),
]);
