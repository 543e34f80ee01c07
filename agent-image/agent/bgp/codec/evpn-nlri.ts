import { BgpError, errorCodes } from "./bgp-error.js";
import { ByteReader } from "./byte-reader.js";
import { addressAt, addressToBytes } from "./ip-address.js";
import { macFromBytes, macToBytes } from "./mac-address.js";
import {
  routeDistinguisherFromBytes,
  routeDistinguisherLength,
  routeDistinguisherToBytes,
} from "./route-distinguisher.js";
import { SharedText } from "./shared-text.js";

/** EVPN routes (RFC 7432 section 7): route type (1) | length (1) | route type specific (length). */
export type EvpnRoute =
  | EthernetAutoDiscoveryRoute
  | MacIpRoute
  | InclusiveMulticastRoute
  | EthernetSegmentRoute
  | IpPrefixRoute
  | UnknownEvpnRoute;

/** Type 1, Ethernet auto-discovery: who is attached to a multihomed segment. Read for people; nothing follows from it here. */
export interface EthernetAutoDiscoveryRoute {
  readonly kind: "ethernet-auto-discovery";
  readonly routeDistinguisher: string;
  readonly ethernetSegment: string;
  /** 0xffffffff: of the segment as a whole (RFC 7432 section 8.2.1). */
  readonly ethernetTag: number;
  readonly label: number;
}

/** Type 2, MAC/IP advertisement. */
export interface MacIpRoute {
  readonly kind: "mac-ip";
  readonly routeDistinguisher: string;
  /** Ethernet segment identifier, 20 hex digits; zero for a single-homed host. */
  readonly ethernetSegment: string;
  readonly ethernetTag: number;
  readonly mac: string;
  readonly ip: string | undefined;
  /** With VXLAN the whole 24-bit VNI, not an MPLS label (RFC 8365 section 5.1.3). */
  readonly label: number;
  /** The layer 3 VNI of symmetric routing (RFC 9135 section 3.1). */
  readonly label2: number | undefined;
}

/** Type 3, inclusive multicast Ethernet tag: who wants flooded frames. */
export interface InclusiveMulticastRoute {
  readonly kind: "inclusive-multicast";
  readonly routeDistinguisher: string;
  readonly ethernetTag: number;
  readonly originator: string;
}

/** Type 4, Ethernet segment: who may forward for a multihomed segment. Read for people; nothing follows from it here. */
export interface EthernetSegmentRoute {
  readonly kind: "ethernet-segment";
  readonly routeDistinguisher: string;
  readonly ethernetSegment: string;
  readonly originator: string;
}

/** Type 5, IP prefix (RFC 9136). Read for people: this speaker routes no prefixes of others. */
export interface IpPrefixRoute {
  readonly kind: "ip-prefix";
  readonly routeDistinguisher: string;
  readonly ethernetSegment: string;
  readonly ethernetTag: number;
  /** `203.0.113.0/24` */
  readonly prefix: string;
  /** The zero address where the next hop is the gateway (RFC 9136 section 3.1). */
  readonly gateway: string;
  readonly label: number;
}

/** A type that this speaker does not know; RFC 7606 section 5.4 says to skip it by its length. */
export interface UnknownEvpnRoute {
  readonly kind: "unknown";
  readonly type: number;
  readonly value: Buffer;
}

export const zeroEthernetSegment = "00000000000000000000";

const ethernetAutoDiscoveryType = 1;
const macIpType = 2;
const inclusiveMulticastType = 3;
const ethernetSegmentType = 4;
const ipPrefixType = 5;
const ethernetSegmentLength = 10;
/** Bits, never bytes: CumulusNetworks/quagga#26 sent 6 and 4 here. */
const macBits = 48;
const labelLength = 3;

/** By route type, for messages; made beforehand because each of a hundred thousand routes is asked for. */
const routeNames: readonly string[] = Array.from({ length: 256 }, (_, type) => `EVPN route of type ${type}`);

export interface DecodedNlri {
  readonly routes: readonly EvpnRoute[];
  /** Of the routes with a fault those that can be told from others: what was said of them before holds no longer. */
  readonly unusable: readonly EvpnRoute[];
  /** Routes whose own length holds but whose content is wrong. They are left out (RFC 7606 section 5.4). */
  readonly faults: readonly string[];
}

/**
 * Reads a whole NLRI field. Throws only when a length runs over the end of the field: then the places of the following
 * routes are unknown (RFC 7606 section 5.3).
 */
export function decodeEvpnNlri(field: Buffer): DecodedNlri {
  const reader = new ByteReader(field, errorCodes.optionalAttributeError, "RFC 7606 section 5.3");
  const source = new RouteSource(field);
  const routes: EvpnRoute[] = [];
  const unusable: EvpnRoute[] = [];
  const faults: string[] = [];
  while (reader.remaining > 0) {
    const type = reader.uint8("EVPN route type");
    const name = routeNames[type] ?? "";
    const length = reader.uint8("EVPN route length");
    const value = reader.part(length, name, errorCodes.optionalAttributeError);
    try {
      routes.push(decodeRoute(type, value, source));
    } catch (error) {
      if (!(error instanceof BgpError)) {
        throw error;
      }
      faults.push(`${name} left out: ${error.message}`);
      if (error instanceof UnusableRoute) {
        unusable.push(error.route);
      }
    }
  }
  return { routes, unusable, faults };
}

/** A fault behind the fields that make a route what it is (RFC 7432 section 7.2). */
class UnusableRoute extends BgpError {
  readonly route: EvpnRoute;

  constructor({ errorCode, message }: BgpError, route: EvpnRoute) {
    super(errorCode, message);
    this.route = route;
  }
}

/** The bytes of an NLRI field as text. Nearly all of its routes have the same RD and ESI, which then are one text each. */
class RouteSource {
  readonly #bytes: Buffer;
  readonly #routeDistinguisher: SharedText;
  readonly #ethernetSegment: SharedText;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#routeDistinguisher = new SharedText(bytes, routeDistinguisherLength, routeDistinguisherFromBytes);
    this.#ethernetSegment = new SharedText(bytes, ethernetSegmentLength, (value) => value.toString("hex"));
  }

  routeDistinguisher(reader: ByteReader): string {
    return this.#routeDistinguisher.at(reader.skip(routeDistinguisherLength, "RD"));
  }

  ethernetSegment(reader: ByteReader): string {
    return this.#ethernetSegment.at(reader.skip(ethernetSegmentLength, "ESI"));
  }

  mac(reader: ByteReader): string {
    return macFromBytes(this.#bytes, reader.skip(6, "MAC"));
  }

  /** @param length in bytes */
  address(reader: ByteReader, length: number, field: string): string {
    return addressAt(this.#bytes, reader.skip(length, field), length);
  }

  originator(reader: ByteReader): string {
    const ipLength = reader.uint8("IP length");
    if (ipLength !== 32 && ipLength !== 128) {
      throw new BgpError(errorCodes.optionalAttributeError, `IP length is ${ipLength} bits, not 32 or 128`);
    }
    return this.address(reader, ipLength / 8, "originating router's IP");
  }
}

function decodeRoute(type: number, reader: ByteReader, source: RouteSource): EvpnRoute {
  switch (type) {
    case ethernetAutoDiscoveryType:
      return decodeEthernetAutoDiscovery(reader, source);
    case macIpType:
      return decodeMacIp(reader, source);
    case inclusiveMulticastType:
      return decodeInclusiveMulticast(reader, source);
    case ethernetSegmentType:
      return decodeEthernetSegment(reader, source);
    case ipPrefixType:
      return decodeIpPrefix(reader, source);
    default:
      return { kind: "unknown", type, value: reader.rest() };
  }
}

/*
 * Type 1 (RFC 7432 section 7.1):
 *
 *     RD (8) | ESI (10) | Ethernet tag (4) | label (3)
 */
function decodeEthernetAutoDiscovery(reader: ByteReader, source: RouteSource): EthernetAutoDiscoveryRoute {
  const routeDistinguisher = source.routeDistinguisher(reader);
  const ethernetSegment = source.ethernetSegment(reader);
  const ethernetTag = reader.uint32("Ethernet tag");
  const label = reader.uint24("label");
  refuseRest(reader);
  return { kind: "ethernet-auto-discovery", routeDistinguisher, ethernetSegment, ethernetTag, label };
}

/*
 * Type 2 (RFC 7432 section 7.2):
 *
 *     RD (8) | ESI (10) | Ethernet tag (4) | MAC length in bits (1) | MAC (6)
 *     | IP length in bits (1) | IP (0, 4 or 16) | label 1 (3) | label 2 (0 or 3)
 */
function decodeMacIp(reader: ByteReader, source: RouteSource): MacIpRoute {
  const routeDistinguisher = source.routeDistinguisher(reader);
  const ethernetSegment = source.ethernetSegment(reader);
  const ethernetTag = reader.uint32("Ethernet tag");
  const macLength = reader.uint8("MAC length");
  if (macLength !== macBits) {
    throw new BgpError(errorCodes.optionalAttributeError, `MAC length is ${macLength} bits, not ${macBits}`);
  }
  const mac = source.mac(reader);
  const ipLength = reader.uint8("IP length");
  if (ipLength !== 0 && ipLength !== 32 && ipLength !== 128) {
    throw new BgpError(errorCodes.optionalAttributeError, `IP length is ${ipLength} bits, not 0, 32 or 128`);
  }
  const ip = ipLength === 0 ? undefined : source.address(reader, ipLength / 8, "IP");
  const key = { kind: "mac-ip", routeDistinguisher, ethernetSegment, ethernetTag, mac, ip } as const;
  try {
    const label = reader.uint24("label");
    const label2 = reader.remaining === labelLength ? reader.uint24("label 2") : undefined;
    refuseRest(reader);
    return { ...key, label, label2 };
  } catch (error) {
    throw error instanceof BgpError ? new UnusableRoute(error, { ...key, label: 0, label2: undefined }) : error;
  }
}

/*
 * Type 3 (RFC 7432 section 7.3):
 *
 *     RD (8) | Ethernet tag (4) | IP length in bits (1) | originating router's IP (4 or 16)
 */
function decodeInclusiveMulticast(reader: ByteReader, source: RouteSource): InclusiveMulticastRoute {
  const routeDistinguisher = source.routeDistinguisher(reader);
  const ethernetTag = reader.uint32("Ethernet tag");
  const originator = source.originator(reader);
  refuseRest(reader);
  return { kind: "inclusive-multicast", routeDistinguisher, ethernetTag, originator };
}

/*
 * Type 4 (RFC 7432 section 7.4):
 *
 *     RD (8) | ESI (10) | IP length in bits (1) | originating router's IP (4 or 16)
 */
function decodeEthernetSegment(reader: ByteReader, source: RouteSource): EthernetSegmentRoute {
  const routeDistinguisher = source.routeDistinguisher(reader);
  const ethernetSegment = source.ethernetSegment(reader);
  const originator = source.originator(reader);
  refuseRest(reader);
  return { kind: "ethernet-segment", routeDistinguisher, ethernetSegment, originator };
}

/** The length of the whole Type-5 route tells the family of its prefix and gateway (RFC 9136 section 3.1). */
const ipPrefixLengths: Readonly<Record<number, number>> = { 34: 4, 58: 16 };

/*
 * Type 5 (RFC 9136 section 3.1):
 *
 *     RD (8) | ESI (10) | Ethernet tag (4) | prefix length in bits (1) | prefix (4 or 16) | gateway (4 or 16) | label (3)
 */
function decodeIpPrefix(reader: ByteReader, source: RouteSource): IpPrefixRoute {
  const addressLength = ipPrefixLengths[reader.remaining];
  if (addressLength === undefined) {
    throw new BgpError(errorCodes.optionalAttributeError, `its length is ${reader.remaining}, not 34 or 58`);
  }
  const routeDistinguisher = source.routeDistinguisher(reader);
  const ethernetSegment = source.ethernetSegment(reader);
  const ethernetTag = reader.uint32("Ethernet tag");
  const prefixLength = reader.uint8("prefix length");
  if (prefixLength > addressLength * 8) {
    // FRRouting/frr#22353 measured both families against 128, and wrote past an IPv4 address.
    const message = `prefix length is ${prefixLength} bits, not 0 to ${addressLength * 8}`;
    throw new BgpError(errorCodes.optionalAttributeError, message);
  }
  const address = source.address(reader, addressLength, "prefix");
  const gateway = source.address(reader, addressLength, "gateway");
  const label = reader.uint24("label");
  const prefix = `${address}/${prefixLength}`;
  return { kind: "ip-prefix", routeDistinguisher, ethernetSegment, ethernetTag, prefix, gateway, label };
}

function refuseRest(reader: ByteReader): void {
  if (reader.remaining > 0) {
    throw new BgpError(errorCodes.optionalAttributeError, `${reader.remaining} bytes follow its last field`);
  }
}

export function encodeEvpnRoute(route: EvpnRoute): Buffer {
  switch (route.kind) {
    case "ethernet-auto-discovery":
      return withTypeAndLength(ethernetAutoDiscoveryType, [
        routeDistinguisherToBytes(route.routeDistinguisher),
        Buffer.from(route.ethernetSegment, "hex"),
        uint32(route.ethernetTag),
        uint24(route.label),
      ]);
    case "mac-ip":
      return withTypeAndLength(macIpType, macIpParts(route));
    case "inclusive-multicast":
      return withTypeAndLength(inclusiveMulticastType, [
        routeDistinguisherToBytes(route.routeDistinguisher),
        uint32(route.ethernetTag),
        addressWithLength(route.originator),
      ]);
    case "ethernet-segment":
      return withTypeAndLength(ethernetSegmentType, [
        routeDistinguisherToBytes(route.routeDistinguisher),
        Buffer.from(route.ethernetSegment, "hex"),
        addressWithLength(route.originator),
      ]);
    case "ip-prefix":
      return withTypeAndLength(ipPrefixType, ipPrefixParts(route));
    case "unknown":
      return withTypeAndLength(route.type, [route.value]);
  }
}

function macIpParts(route: MacIpRoute): Buffer[] {
  const ip = route.ip === undefined ? Buffer.alloc(0) : addressToBytes(route.ip);
  return [
    routeDistinguisherToBytes(route.routeDistinguisher),
    Buffer.from(route.ethernetSegment, "hex"),
    uint32(route.ethernetTag),
    Buffer.from([macBits]),
    macToBytes(route.mac),
    Buffer.from([ip.length * 8]),
    ip,
    uint24(route.label),
    ...(route.label2 === undefined ? [] : [uint24(route.label2)]),
  ];
}

function ipPrefixParts(route: IpPrefixRoute): Buffer[] {
  const [address = "", length] = route.prefix.split("/");
  return [
    routeDistinguisherToBytes(route.routeDistinguisher),
    Buffer.from(route.ethernetSegment, "hex"),
    uint32(route.ethernetTag),
    Buffer.from([Number(length)]),
    addressToBytes(address),
    addressToBytes(route.gateway),
    uint24(route.label),
  ];
}

/** Length in bits (1) | address. */
function addressWithLength(address: string): Buffer {
  const bytes = addressToBytes(address);
  return Buffer.concat([Buffer.from([bytes.length * 8]), bytes]);
}

function withTypeAndLength(type: number, parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([type, value.length]), value]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(labelLength);
  bytes.writeUIntBE(value, 0, labelLength);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
