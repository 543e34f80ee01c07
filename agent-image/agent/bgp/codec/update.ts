import { evpnFamilyBytes, isEvpn } from "./address-family.js";
import { encodeAsPath } from "./as-path.js";
import { BgpError, errorCodes } from "./bgp-error.js";
import { ByteReader } from "./byte-reader.js";
import { decodeEvpnNlri, type EvpnRoute, encodeEvpnRoute } from "./evpn-nlri.js";
import { type ExtendedCommunity, encodeExtendedCommunity } from "./extended-community.js";
import { addressFromBytes, addressToBytes } from "./ip-address.js";
import { encodeMessage, headerLength } from "./message-header.js";
import {
  type AttributeContext,
  attributeFlags,
  attributeTypes,
  type DecodedAttributes,
  decodePathAttributes,
  type FaultAction,
  type MultiprotocolField,
  type PathAttributes,
} from "./path-attributes.js";
import { encodeIngressReplication } from "./pmsi-tunnel.js";

/**
 * RFC 4271 section 4.3:
 *
 *     withdrawn routes length (2) | withdrawn routes | path attributes length (2) | path attributes | NLRI
 *
 * EVPN routes stand in the attributes MP_REACH_NLRI and MP_UNREACH_NLRI; the two plain fields are IPv4 unicast, which
 * is never negotiated here.
 */
export interface UpdateMessage {
  readonly kind: "update";
  readonly announced: readonly EvpnRoute[];
  /** Of the announced routes. */
  readonly nextHop: string | undefined;
  readonly withdrawn: readonly EvpnRoute[];
  readonly attributes: PathAttributes;
  /** RFC 4724 section 2: the peer has sent all that it has. */
  readonly endOfRib: boolean;
  /** What was wrong and did not end the session (RFC 7606). */
  readonly faults: readonly UpdateFault[];
}

export interface UpdateFault {
  /** `route-discard` leaves out one route, the others are those of RFC 7606 section 2. */
  readonly action: FaultAction | "route-discard";
  readonly message: string;
  /** The rule that says so. */
  readonly clause: string;
}

/** For the log. */
export function describeFault({ action, message, clause }: UpdateFault): string {
  return `${message} (${action}, ${clause})`;
}

/**
 * Attributes that every announced route must have (RFC 4271 section 5). LOCAL_PREF is due inside an AS (section 5.1.5), but RFC 7606
 * section 3 (d) speaks of the mandatory ones alone, and nothing here is chosen by it.
 */
const mandatory = [
  { type: attributeTypes.origin, name: "ORIGIN" },
  { type: attributeTypes.asPath, name: "AS_PATH" },
] as const;

/**
 * Throws a BgpError only where the session must be reset; every other fault withdraws the routes that the message
 * carries or leaves one of them out (RFC 7606).
 */
export function decodeUpdate(body: Buffer, context: AttributeContext): UpdateMessage {
  const { attributeField, plainRoutes } = splitUpdate(body);
  const decoded = decodePathAttributes(attributeField, context);
  const reached = evpnRoutes(decoded.reach);
  const unreached = evpnRoutes(decoded.unreach);
  const nextHop = decoded.reach && isEvpn(decoded.reach.family) ? decodeNextHop(decoded.reach) : undefined;
  refuseFaultWithoutRoutes(decoded, plainRoutes);

  const missing = reached.routes.length === 0 ? [] : mandatory.filter(({ type }) => !decoded.present.includes(type));
  const mustWithdraw = missing.length > 0 || decoded.faults.some(({ action }) => action === "treat-as-withdraw");
  return {
    kind: "update",
    announced: mustWithdraw ? [] : reached.routes,
    nextHop,
    withdrawn: [
      ...unreached.routes,
      ...unreached.unusable,
      ...reached.unusable,
      ...(mustWithdraw ? reached.routes : []),
    ],
    attributes: decoded.attributes,
    endOfRib: isEndOfRib(decoded, plainRoutes),
    faults: [
      ...decoded.faults.map(({ action, message, clause }) => ({ action, message, clause })),
      ...missing.map(({ name }) => missingAttribute(name)),
      ...[...unreached.faults, ...reached.faults].map(discardedRoute),
    ],
  };
}

function missingAttribute(name: string): UpdateFault {
  return { action: "treat-as-withdraw", message: `${name} is missing`, clause: "RFC 7606 section 3 (d)" };
}

function discardedRoute(message: string): UpdateFault {
  return { action: "route-discard", message, clause: "RFC 7606 section 5.4" };
}

/** Also of a message that must be refused, for people who want to see what is in it. */
export function splitUpdate(body: Buffer): { attributeField: Buffer; plainRoutes: number } {
  const reader = new ByteReader(body, errorCodes.malformedAttributeList);
  const withdrawn = reader.bytes(reader.uint16("withdrawn routes length"), "withdrawn routes");
  const attributeField = reader.bytes(reader.uint16("total path attribute length"), "path attributes");
  return { attributeField, plainRoutes: withdrawn.length + reader.remaining };
}

function evpnRoutes(field: MultiprotocolField | undefined): ReturnType<typeof decodeEvpnNlri> {
  return field !== undefined && isEvpn(field.family)
    ? decodeEvpnNlri(field.nlri)
    : { routes: [], unusable: [], faults: [] };
}

function decodeNextHop({ nextHop }: MultiprotocolField): string {
  if (nextHop?.length !== 4 && nextHop?.length !== 16) {
    // Where the NLRI starts is then uncertain too.
    const message = `next hop has ${nextHop?.length} bytes, not 4 or 16`;
    throw new BgpError(errorCodes.malformedAttributeList, message, undefined, "RFC 7606 section 7.11");
  }
  return addressFromBytes(nextHop);
}

/** A faulty message that names no route leaves unknown what to withdraw. */
function refuseFaultWithoutRoutes(decoded: DecodedAttributes, plainRoutes: number): void {
  const fault = decoded.faults.find(({ action }) => action === "treat-as-withdraw");
  if (fault !== undefined && decoded.reach === undefined && decoded.unreach === undefined && plainRoutes === 0) {
    const message = `${fault.message}, and the message names no route to withdraw`;
    throw new BgpError(fault.errorCode, message, fault.data, "RFC 7606 section 5.2");
  }
}

function isEndOfRib({ unreach, present, faults }: DecodedAttributes, plainRoutes: number): boolean {
  return (
    plainRoutes === 0 &&
    faults.length === 0 &&
    present.length === 1 &&
    unreach !== undefined &&
    isEvpn(unreach.family) &&
    unreach.nlri.length === 0
  );
}

/** What all routes of one announcement share. */
export interface Announcement {
  readonly nextHop: string;
  /** Empty inside the AS; the own AS towards an external peer (RFC 4271 section 5.1.2). */
  readonly asPath: readonly number[];
  /** Only inside the AS (RFC 4271 section 5.1.5). */
  readonly localPreference: number | undefined;
  readonly extendedCommunities: readonly ExtendedCommunity[];
  readonly ingressReplication: { readonly label: number; readonly endpoint: string } | undefined;
}

export interface UpdateEncoding {
  readonly fourOctetAs: boolean;
  /** 4096, or 65535 where both sides offered it (RFC 8654). */
  readonly maximumMessageLength: number;
}

const igpOrigin = 0;
/** Both length fields of the message, and flags, type and extended length of its multiprotocol attribute. */
const updateOverhead = headerLength + 2 + 2 + 4;

/** As many UPDATE messages as the routes need. */
export function encodeAnnouncement(
  routes: readonly EvpnRoute[],
  announcement: Announcement,
  encoding: UpdateEncoding,
): Buffer[] {
  const nextHop = addressToBytes(announcement.nextHop);
  const reachHeader = Buffer.concat([evpnFamilyBytes, Buffer.from([nextHop.length]), nextHop, Buffer.from([0])]);
  const others = Buffer.concat([
    encodeAttribute(attributeTypes.origin, attributeFlags.transitive, Buffer.from([igpOrigin])),
    encodeAttribute(
      attributeTypes.asPath,
      attributeFlags.transitive,
      encodeAsPath(announcement.asPath, encoding.fourOctetAs),
    ),
    ...encodeLocalPreference(announcement.localPreference),
    ...encodeExtendedCommunities(announcement.extendedCommunities),
    ...encodePmsiTunnel(announcement.ingressReplication),
  ]);
  const room = encoding.maximumMessageLength - updateOverhead - reachHeader.length - others.length;
  return packRoutes(routes, room).map((nlri) => {
    // First of all attributes, so that its routes are found even when a later attribute is broken (RFC 7606 section 5.1).
    const value = Buffer.concat([reachHeader, nlri]);
    return encodeUpdate([encodeAttribute(attributeTypes.mpReach, attributeFlags.optional, value), others]);
  });
}

export function encodeWithdrawal(routes: readonly EvpnRoute[], encoding: UpdateEncoding): Buffer[] {
  const room = encoding.maximumMessageLength - updateOverhead - evpnFamilyBytes.length;
  return packRoutes(routes, room).map((nlri) => encodeUnreach(nlri));
}

/** RFC 4724 section 2: an UPDATE that withdraws nothing. */
export function encodeEndOfRib(): Buffer {
  return encodeUnreach(Buffer.alloc(0));
}

function encodeUnreach(nlri: Buffer): Buffer {
  const value = Buffer.concat([evpnFamilyBytes, nlri]);
  return encodeUpdate([encodeAttribute(attributeTypes.mpUnreach, attributeFlags.optional, value)]);
}

function encodeUpdate(attributes: readonly Buffer[]): Buffer {
  const field = Buffer.concat(attributes);
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16BE(field.length, 2);
  return encodeMessage("update", Buffer.concat([lengths, field]));
}

/** Fills one NLRI field after the other with whole routes. */
function packRoutes(routes: readonly EvpnRoute[], room: number): Buffer[] {
  const fields: Buffer[] = [];
  let parts: Buffer[] = [];
  let length = 0;
  for (const route of routes) {
    const bytes = encodeEvpnRoute(route);
    if (length + bytes.length > room && parts.length > 0) {
      fields.push(Buffer.concat(parts));
      parts = [];
      length = 0;
    }
    parts.push(bytes);
    length += bytes.length;
  }
  if (parts.length > 0) {
    fields.push(Buffer.concat(parts));
  }
  return fields;
}

function encodeLocalPreference(value: number | undefined): Buffer[] {
  if (value === undefined) {
    return [];
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return [encodeAttribute(attributeTypes.localPreference, attributeFlags.transitive, bytes)];
}

function encodeExtendedCommunities(communities: readonly ExtendedCommunity[]): Buffer[] {
  if (communities.length === 0) {
    return [];
  }
  const value = Buffer.concat(communities.map(encodeExtendedCommunity));
  return [
    encodeAttribute(attributeTypes.extendedCommunities, attributeFlags.optional | attributeFlags.transitive, value),
  ];
}

function encodePmsiTunnel(tunnel: Announcement["ingressReplication"]): Buffer[] {
  if (tunnel === undefined) {
    return [];
  }
  const value = encodeIngressReplication(tunnel.label, tunnel.endpoint);
  return [encodeAttribute(attributeTypes.pmsiTunnel, attributeFlags.optional | attributeFlags.transitive, value)];
}

function encodeAttribute(type: number, flags: number, value: Buffer): Buffer {
  const header =
    value.length <= 0xff
      ? Buffer.from([flags, type, value.length])
      : Buffer.from([flags | attributeFlags.extendedLength, type, value.length >>> 8, value.length & 0xff]);
  return Buffer.concat([header, value]);
}
