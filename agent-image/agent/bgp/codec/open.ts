import { asTrans } from "./as-path.js";
import { BgpError, errorCodes } from "./bgp-error.js";
import { ByteReader } from "./byte-reader.js";
import { type Capability, decodeCapabilities, encodeCapabilities } from "./capabilities.js";
import { addressToBytes, identifierFromNumber } from "./ip-address.js";
import { encodeMessage } from "./message-header.js";

/**
 * RFC 4271 section 4.2:
 *
 *     version (1) | my AS (2) | hold time (2) | BGP identifier (4) | parameters length (1) | parameters
 */
export interface OpenMessage {
  readonly kind: "open";
  /** From the four-octet AS capability where there is one (RFC 6793 section 4.1). */
  readonly as: number;
  /** Seconds; 0 means no keepalives. */
  readonly holdTime: number;
  readonly bgpIdentifier: string;
  readonly capabilities: readonly Capability[];
}

const version = 4;
const capabilitiesParameter = 2;
const extendedLengthMarker = 255;

/** Throws a BgpError with the code of RFC 4271 section 6.2 that fits. Whether the values suit the session is not asked here. */
export function decodeOpen(body: Buffer): OpenMessage {
  const reader = new ByteReader(body, errorCodes.malformedOpen);
  const peerVersion = reader.uint8("version");
  if (peerVersion !== version) {
    const message = `BGP version ${peerVersion} is not ${version}`;
    throw new BgpError(errorCodes.unsupportedVersion, message, Buffer.from([0, version]));
  }
  const twoOctetAs = reader.uint16("AS");
  const holdTime = reader.uint16("hold time");
  const bgpIdentifier = identifierFromNumber(reader.uint32("BGP identifier"));
  const capabilities = decodeParameters(reader);
  const fourOctetAs = capabilities.find((capability) => capability.kind === "four-octet-as");
  return { kind: "open", as: fourOctetAs?.as ?? twoOctetAs, holdTime, bgpIdentifier, capabilities };
}

/** One parameter with all capabilities (GoBGP) or one for each (FRR): both are common. */
function decodeParameters(reader: ByteReader): Capability[] {
  const length = reader.uint8("optional parameters length");
  if (length === 0) {
    return [];
  }
  const { field, extended } = splitParameters(length, reader.rest());
  const parameters = new ByteReader(field, errorCodes.malformedOpen);
  const capabilities: Capability[] = [];
  while (parameters.remaining > 0) {
    const type = parameters.uint8("parameter type");
    const size = extended ? parameters.uint16("parameter length") : parameters.uint8("parameter length");
    const value = parameters.bytes(size, `optional parameter ${type}`);
    if (type !== capabilitiesParameter) {
      throw new BgpError(errorCodes.unsupportedOptionalParameter, `optional parameter ${type} is not supported`);
    }
    capabilities.push(...decodeCapabilities(value));
  }
  return capabilities;
}

/** RFC 9072 section 2: parameter type 255 in first place announces two-octet lengths, whatever the short length says. */
function splitParameters(length: number, rest: Buffer): { field: Buffer; extended: boolean } {
  const reader = new ByteReader(rest, errorCodes.malformedOpen);
  if (rest[0] !== extendedLengthMarker) {
    return { field: reader.bytes(length, "optional parameters"), extended: false };
  }
  reader.uint8("extended length marker");
  return { field: reader.bytes(reader.uint16("extended length"), "optional parameters"), extended: true };
}

export function encodeOpen(open: OpenMessage): Buffer {
  const capabilities = encodeCapabilities(open.capabilities);
  const head = Buffer.alloc(5);
  head.writeUInt8(version, 0);
  head.writeUInt16BE(open.as <= 0xffff ? open.as : asTrans, 1);
  head.writeUInt16BE(open.holdTime, 3);
  return encodeMessage(
    "open",
    Buffer.concat([
      head,
      addressToBytes(open.bgpIdentifier),
      Buffer.from([capabilities.length + 2, capabilitiesParameter, capabilities.length]),
      capabilities,
    ]),
  );
}
