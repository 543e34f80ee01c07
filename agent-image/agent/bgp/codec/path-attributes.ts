import type { AddressFamily } from "./address-family.js";
import { type AsPathSegment, decodeAsPath } from "./as-path.js";
import { BgpError, type ErrorCode, errorCodes } from "./bgp-error.js";
import { ByteReader } from "./byte-reader.js";
import { decodeExtendedCommunity, type ExtendedCommunity, extendedCommunityLength } from "./extended-community.js";
import { addressFromBytes } from "./ip-address.js";
import { decodePmsiTunnel, type PmsiTunnel } from "./pmsi-tunnel.js";

/** What this speaker reads from the path attributes of an UPDATE; the rest is checked and left. */
export interface PathAttributes {
  readonly origin?: number;
  readonly asPath?: readonly AsPathSegment[];
  readonly localPreference?: number;
  readonly originatorId?: string;
  readonly clusterList?: readonly string[];
  /** As `65535:6` (RFC 1997 section 4). */
  readonly communities?: readonly string[];
  readonly extendedCommunities?: readonly ExtendedCommunity[];
  readonly pmsiTunnel?: PmsiTunnel;
}

/** MP_REACH_NLRI and MP_UNREACH_NLRI before their NLRI is read (RFC 4760 sections 3 and 4). */
export interface MultiprotocolField {
  readonly family: AddressFamily;
  /** 4 or 16 bytes for EVPN (RFC 7432 section 9.2.1); undefined in MP_UNREACH_NLRI. */
  readonly nextHop: Buffer | undefined;
  readonly nlri: Buffer;
}

/** What has been negotiated and changes how attributes are read. */
export interface AttributeContext {
  readonly fourOctetAs: boolean;
  /** iBGP: attributes that only make sense inside an AS count. */
  readonly internal: boolean;
}

/** RFC 7606 section 2, from weak to strong. A reset is thrown as a BgpError. */
export type FaultAction = "attribute-discard" | "treat-as-withdraw";

export interface AttributeFault {
  readonly action: FaultAction;
  readonly message: string;
  /** The rule that says what the fault costs. */
  readonly clause: string;
  readonly errorCode: ErrorCode;
  readonly data: Buffer;
}

export interface DecodedAttributes {
  readonly attributes: PathAttributes;
  readonly reach: MultiprotocolField | undefined;
  readonly unreach: MultiprotocolField | undefined;
  /** Type codes present, in order. */
  readonly present: readonly number[];
  readonly faults: readonly AttributeFault[];
}

export const attributeTypes = {
  origin: 1,
  asPath: 2,
  nextHop: 3,
  multiExitDisc: 4,
  localPreference: 5,
  atomicAggregate: 6,
  aggregator: 7,
  communities: 8,
  originatorId: 9,
  clusterList: 10,
  mpReach: 14,
  mpUnreach: 15,
  extendedCommunities: 16,
  as4Path: 17,
  as4Aggregator: 18,
  pmsiTunnel: 22,
  tunnelEncapsulation: 23,
  ipv6ExtendedCommunities: 25,
  aigp: 26,
  largeCommunities: 32,
  onlyToCustomer: 35,
} as const;

/** RFC 4271 section 4.3: optional, transitive, partial, extended length; the low four bits are unused. */
export const attributeFlags = { optional: 0x80, transitive: 0x40, partial: 0x20, extendedLength: 0x10 } as const;

const wellKnown = attributeFlags.transitive;
const optionalTransitive = attributeFlags.optional | attributeFlags.transitive;
const optionalNonTransitive = attributeFlags.optional;

interface AttributeRule {
  readonly name: string;
  /** Where it is said what a malformed one costs. */
  readonly clause: string;
  /** Optional and transitive bits that the attribute must carry (RFC 7606 section 3 (c)). */
  readonly flags: number;
  readonly onFault: FaultAction;
  /** From an external peer the attribute is left, whatever it holds. */
  readonly internalOnly?: true;
  /** Wrong flags cost the attribute alone (RFC 7311 section 3.2); else the routes (RFC 7606 section 3 (c)). */
  readonly flagsCostAttribute?: true;
  /** Throws a BgpError when the value is malformed. */
  readonly decode: (value: Buffer, context: AttributeContext) => PathAttributes;
}

const repeatedAttribute = "RFC 7606 section 3 (g)";

const maximumOrigin = 2;

/** RFC 5701 section 2. */
const ipv6ExtendedCommunityLength = 20;
/** RFC 8092 section 3. */
const largeCommunityLength = 12;

/** The attributes and what a malformed one costs. */
const rules: Readonly<Record<number, AttributeRule>> = {
  [attributeTypes.origin]: {
    name: "ORIGIN",
    clause: "RFC 7606 section 7.1",
    flags: wellKnown,
    onFault: "treat-as-withdraw",
    decode: (value) => {
      const [origin] = exactly(value, 1);
      if (origin === undefined || origin > maximumOrigin) {
        throw new BgpError(errorCodes.invalidOrigin, `value ${origin} is not 0, 1 or 2`);
      }
      return { origin };
    },
  },
  [attributeTypes.asPath]: {
    name: "AS_PATH",
    clause: "RFC 7606 section 7.2",
    flags: wellKnown,
    onFault: "treat-as-withdraw",
    decode: (value, { fourOctetAs, internal }) => {
      const asPath = decodeAsPath(value, fourOctetAs);
      const confederation = asPath.find(({ kind }) => kind.startsWith("confederation"));
      if (confederation !== undefined && !internal) {
        // RFC 5065 section 5: only within a confederation, to which an external peer does not belong.
        throw new BgpError(errorCodes.malformedAsPath, `an external peer sent a segment of kind ${confederation.kind}`);
      }
      return { asPath };
    },
  },
  [attributeTypes.nextHop]: ofLength("NEXT_HOP", "RFC 7606 section 7.3", wellKnown, "treat-as-withdraw", 4),
  [attributeTypes.multiExitDisc]: ofLength(
    "MULTI_EXIT_DISC",
    "RFC 7606 section 7.4",
    optionalNonTransitive,
    "treat-as-withdraw",
    4,
  ),
  [attributeTypes.localPreference]: {
    name: "LOCAL_PREF",
    clause: "RFC 7606 section 7.5",
    flags: wellKnown,
    onFault: "treat-as-withdraw",
    internalOnly: true,
    decode: (value) => ({ localPreference: exactly(value, 4).readUInt32BE(0) }),
  },
  [attributeTypes.atomicAggregate]: ofLength(
    "ATOMIC_AGGREGATE",
    "RFC 7606 section 7.6",
    wellKnown,
    "attribute-discard",
    0,
  ),
  [attributeTypes.aggregator]: {
    name: "AGGREGATOR",
    clause: "RFC 7606 section 7.7",
    flags: optionalTransitive,
    onFault: "attribute-discard",
    decode: (value, { fourOctetAs }) => {
      exactly(value, fourOctetAs ? 8 : 6);
      return {};
    },
  },
  [attributeTypes.communities]: {
    name: "COMMUNITIES",
    clause: "RFC 7606 section 7.8",
    flags: optionalTransitive,
    onFault: "treat-as-withdraw",
    decode: (value) => ({
      communities: items(value, 4).map((item) => `${item.readUInt16BE(0)}:${item.readUInt16BE(2)}`),
    }),
  },
  [attributeTypes.originatorId]: {
    name: "ORIGINATOR_ID",
    clause: "RFC 7606 section 7.9",
    flags: optionalNonTransitive,
    onFault: "treat-as-withdraw",
    internalOnly: true,
    decode: (value) => ({ originatorId: addressFromBytes(exactly(value, 4)) }),
  },
  [attributeTypes.clusterList]: {
    name: "CLUSTER_LIST",
    clause: "RFC 7606 section 7.10",
    flags: optionalNonTransitive,
    onFault: "treat-as-withdraw",
    internalOnly: true,
    decode: (value) => ({ clusterList: items(value, 4).map(addressFromBytes) }),
  },
  [attributeTypes.extendedCommunities]: {
    name: "EXTENDED COMMUNITIES",
    clause: "RFC 7606 section 7.14",
    flags: optionalTransitive,
    onFault: "treat-as-withdraw",
    decode: (value) => ({ extendedCommunities: items(value, extendedCommunityLength).map(decodeExtendedCommunity) }),
  },
  // RFC 6793 section 6: a speaker of four-octet AS numbers ignores what is meant for others.
  [attributeTypes.as4Path]: ignored("AS4_PATH"),
  [attributeTypes.as4Aggregator]: ignored("AS4_AGGREGATOR"),
  // A malformed attribute makes the route unusable.
  [attributeTypes.pmsiTunnel]: {
    name: "PMSI_TUNNEL",
    clause: "RFC 6514 section 5",
    flags: optionalTransitive,
    onFault: "treat-as-withdraw",
    decode: (value) => ({ pmsiTunnel: decodePmsiTunnel(value) }),
  },
  // CVE-2023-38802 (FRRouting/frr#14289): a corrupt one must never end the session.
  [attributeTypes.tunnelEncapsulation]: {
    name: "TUNNEL_ENCAPSULATION",
    clause: "RFC 9012 section 13",
    flags: optionalTransitive,
    onFault: "treat-as-withdraw",
    decode: (value) => {
      const reader = new ByteReader(value, errorCodes.optionalAttributeError);
      while (reader.remaining > 0) {
        reader.uint16("tunnel type");
        reader.bytes(reader.uint16("tunnel length"), "tunnel");
      }
      return {};
    },
  },
  [attributeTypes.ipv6ExtendedCommunities]: itemsOf(
    "IPV6 EXTENDED COMMUNITIES",
    "RFC 7606 section 7.15",
    ipv6ExtendedCommunityLength,
  ),
  [attributeTypes.aigp]: {
    name: "AIGP",
    clause: "RFC 7311 section 3.2",
    flags: optionalNonTransitive,
    onFault: "attribute-discard",
    flagsCostAttribute: true,
    decode: (value) => {
      checkAigp(value);
      return {};
    },
  },
  // osrg/gobgp#1147 took one of any length.
  [attributeTypes.largeCommunities]: itemsOf("LARGE_COMMUNITY", "RFC 8092 section 6", largeCommunityLength),
  [attributeTypes.onlyToCustomer]: ofLength(
    "ONLY_TO_CUSTOMER",
    "RFC 9234 section 5",
    optionalTransitive,
    "treat-as-withdraw",
    4,
  ),
};

const multiprotocolNames: Readonly<Record<number, string>> = {
  [attributeTypes.mpReach]: "MP_REACH_NLRI",
  [attributeTypes.mpUnreach]: "MP_UNREACH_NLRI",
};

/**
 * Reads all path attributes before anything is decided (RFC 7606 section 3 (h)). Throws a BgpError only for what
 * section 3 answers with a session reset.
 */
export function decodePathAttributes(field: Buffer, context: AttributeContext): DecodedAttributes {
  const present: number[] = [];
  const faults: AttributeFault[] = [];
  let attributes: PathAttributes = {};
  let reach: MultiprotocolField | undefined;
  let unreach: MultiprotocolField | undefined;
  let offset = 0;
  while (offset < field.length) {
    const attribute = splitAttribute(field, offset);
    if (attribute === undefined) {
      // RFC 7606 section 4: the routes before this point are known and are withdrawn.
      const data = field.subarray(offset);
      const message = `a path attribute runs over the end of the list (${data.toString("hex", 0, 8)})`;
      faults.push({
        action: "treat-as-withdraw",
        message,
        clause: "RFC 7606 section 4",
        errorCode: errorCodes.attributeLengthError,
        data,
      });
      break;
    }
    offset = attribute.end;
    const { type, flags, value, whole } = attribute;
    const repeated = present.includes(type);
    if (type === attributeTypes.mpReach || type === attributeTypes.mpUnreach) {
      if (repeated) {
        const message = `path attribute ${type} appears more than once`;
        throw new BgpError(errorCodes.malformedAttributeList, message, undefined, repeatedAttribute);
      }
      present.push(type);
      if (!hasFlags(flags, optionalNonTransitive)) faults.push(wrongFlags(attribute, optionalNonTransitive));
      if (type === attributeTypes.mpReach) {
        reach = decodeReach(value);
      } else {
        unreach = decodeUnreach(value);
      }
      continue;
    }
    if (repeated) {
      // The first one counts (FRRouting/frr#14175).
      faults.push({
        action: "attribute-discard",
        message: `path attribute ${type} appears more than once`,
        clause: repeatedAttribute,
        errorCode: errorCodes.malformedAttributeList,
        data: whole,
      });
      continue;
    }
    present.push(type);
    const rule = rules[type];
    if (rule === undefined) {
      if ((flags & attributeFlags.optional) === 0) {
        // RFC 4271 section 6.3
        const message = `well-known path attribute ${type} is unknown`;
        throw new BgpError(errorCodes.unrecognizedWellKnownAttribute, message, whole);
      }
      continue;
    }
    if (rule.internalOnly && !context.internal) {
      const message = `${rule.name} from an external peer`;
      const errorCode = errorCodes.optionalAttributeError;
      faults.push({ action: "attribute-discard", message, clause: rule.clause, errorCode, data: whole });
      continue;
    }
    if (!hasFlags(flags, rule.flags)) {
      const fault = wrongFlags(attribute, rule.flags);
      faults.push(rule.flagsCostAttribute ? { ...fault, action: "attribute-discard", clause: rule.clause } : fault);
      continue;
    }
    try {
      attributes = { ...attributes, ...rule.decode(value, context) };
    } catch (error) {
      if (!(error instanceof BgpError)) {
        throw error;
      }
      const message = `${rule.name}: ${error.message}`;
      faults.push({ action: rule.onFault, message, clause: rule.clause, errorCode: error.errorCode, data: whole });
    }
  }
  return { attributes, reach, unreach, present, faults };
}

export interface SplitAttribute {
  readonly flags: number;
  readonly type: number;
  readonly value: Buffer;
  /** The attribute with its header, as a NOTIFICATION carries it. */
  readonly whole: Buffer;
  readonly end: number;
}

/** The name that its RFC gives the type; undefined for one that this speaker does not know. */
export function attributeName(type: number): string | undefined {
  return multiprotocolNames[type] ?? rules[type]?.name;
}

/**
 * RFC 4271 section 4.3: flags (1) | type (1) | length (1, or 2 with the extended length flag) | value. Undefined where
 * the list ends too early.
 */
export function splitAttribute(field: Buffer, start: number): SplitAttribute | undefined {
  const flags = field[start] ?? 0;
  const headerLength = (flags & attributeFlags.extendedLength) === 0 ? 3 : 4;
  const valueStart = start + headerLength;
  if (valueStart > field.length) {
    return undefined;
  }
  const length = headerLength === 3 ? field.readUInt8(start + 2) : field.readUInt16BE(start + 2);
  const end = valueStart + length;
  if (end > field.length) {
    return undefined;
  }
  return {
    flags,
    type: field.readUInt8(start + 1),
    value: field.subarray(valueStart, end),
    whole: field.subarray(start, end),
    end,
  };
}

const checkedFlags = attributeFlags.optional | attributeFlags.transitive;

function hasFlags(flags: number, wanted: number): boolean {
  return (flags & checkedFlags) === wanted;
}

function wrongFlags({ type, flags, whole }: SplitAttribute, wanted: number): AttributeFault {
  const found = (flags & checkedFlags).toString(16);
  return {
    action: "treat-as-withdraw",
    message: `${attributeName(type)}: flags are 0x${found}, not 0x${wanted.toString(16)}`,
    clause: "RFC 7606 section 3 (c)",
    errorCode: errorCodes.attributeFlagsError,
    data: whole,
  };
}

/** RFC 4760 section 3: AFI (2) | SAFI (1) | next hop length (1) | next hop | reserved (1) | NLRI. */
function decodeReach(value: Buffer): MultiprotocolField {
  const reader = new ByteReader(value, errorCodes.malformedAttributeList);
  const family = readFamily(reader);
  const nextHop = reader.bytes(reader.uint8("next hop length"), "next hop");
  reader.uint8("reserved byte of MP_REACH_NLRI");
  return { family, nextHop, nlri: reader.rest() };
}

/** RFC 4760 section 4: AFI (2) | SAFI (1) | withdrawn NLRI. */
function decodeUnreach(value: Buffer): MultiprotocolField {
  const reader = new ByteReader(value, errorCodes.malformedAttributeList);
  return { family: readFamily(reader), nextHop: undefined, nlri: reader.rest() };
}

function readFamily(reader: ByteReader): AddressFamily {
  return { afi: reader.uint16("AFI"), safi: reader.uint8("SAFI") };
}

function exactly(value: Buffer, length: number): Buffer {
  if (value.length !== length) {
    throw new BgpError(errorCodes.attributeLengthError, `length is ${value.length}, not ${length}`);
  }
  return value;
}

/** The value cut into items of equal size; none at all is malformed too (RFC 7606 sections 7.8, 7.10, 7.14). */
function items(value: Buffer, size: number): Buffer[] {
  if (value.length === 0 || value.length % size !== 0) {
    const message = `length ${value.length} is no multiple of ${size} above 0`;
    throw new BgpError(errorCodes.optionalAttributeError, message);
  }
  return Array.from({ length: value.length / size }, (_, index) => value.subarray(index * size, (index + 1) * size));
}

function ofLength(name: string, clause: string, flags: number, onFault: FaultAction, length: number): AttributeRule {
  return {
    name,
    clause,
    flags,
    onFault,
    decode: (value) => {
      exactly(value, length);
      return {};
    },
  };
}

/** Communities of equal size, none of which is read. */
function itemsOf(name: string, clause: string, size: number): AttributeRule {
  return {
    name,
    clause,
    flags: optionalTransitive,
    onFault: "treat-as-withdraw",
    decode: (value) => {
      items(value, size);
      return {};
    },
  };
}

/** RFC 7311 section 3: type (1) | length (2, with type and length) | value; the one of type 1 has 11 bytes. */
function checkAigp(value: Buffer): void {
  const headerLength = 3;
  const metricType = 1;
  const metricLength = 11;
  const reader = new ByteReader(value, errorCodes.optionalAttributeError);
  while (reader.remaining > 0) {
    const type = reader.uint8("AIGP TLV type");
    const length = reader.uint16("AIGP TLV length");
    if (length < headerLength || (type === metricType && length !== metricLength)) {
      throw new BgpError(errorCodes.optionalAttributeError, `length ${length} cannot be that of a TLV of type ${type}`);
    }
    reader.bytes(length - headerLength, "AIGP TLV");
  }
}

function ignored(name: string): AttributeRule {
  const clause = "RFC 6793 section 6";
  return { name, clause, flags: optionalTransitive, onFault: "attribute-discard", decode: () => ({}) };
}
