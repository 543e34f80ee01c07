import { BgpError, errorCodes } from "./bgp-error.js";
import { ByteReader } from "./byte-reader.js";

/** RFC 4271 section 4.3 (b): segment type (1) | number of ASes (1) | ASes (2 or 4 bytes each). */
export interface AsPathSegment {
  readonly kind: "set" | "sequence" | "confederation-sequence" | "confederation-set";
  readonly asns: readonly number[];
}

/** Segment type by number (RFC 4271, RFC 5065 section 3). */
const segmentKinds: Readonly<Record<number, AsPathSegment["kind"]>> = {
  1: "set",
  2: "sequence",
  3: "confederation-sequence",
  4: "confederation-set",
};
const sequenceType = 2;

/** Stands for an AS above 65535 where only two octets fit (RFC 6793 section 9). */
export const asTrans = 23456;

export function decodeAsPath(value: Buffer, fourOctetAs: boolean): readonly AsPathSegment[] {
  const reader = new ByteReader(value, errorCodes.malformedAsPath);
  const segments: AsPathSegment[] = [];
  while (reader.remaining > 0) {
    const type = reader.uint8("AS_PATH segment type");
    const kind = segmentKinds[type];
    if (kind === undefined) {
      throw new BgpError(errorCodes.malformedAsPath, `AS_PATH segment type ${type} is unknown`);
    }
    const count = reader.uint8("AS_PATH segment length");
    if (count === 0) {
      // RFC 7606 section 7.2
      throw new BgpError(errorCodes.malformedAsPath, "an AS_PATH segment is empty");
    }
    const asns = Array.from({ length: count }, () => (fourOctetAs ? reader.uint32("AS") : reader.uint16("AS")));
    if (asns.includes(0)) {
      // RFC 7607
      throw new BgpError(errorCodes.malformedAsPath, "AS_PATH contains AS 0");
    }
    segments.push({ kind, asns });
  }
  return segments;
}

/** One AS_SEQUENCE, or nothing at all: the empty path of a route that starts inside its AS. */
export function encodeAsPath(asns: readonly number[], fourOctetAs: boolean): Buffer {
  if (asns.length === 0) {
    return Buffer.alloc(0);
  }
  const width = fourOctetAs ? 4 : 2;
  const bytes = Buffer.alloc(2 + asns.length * width);
  bytes.writeUInt8(sequenceType, 0);
  bytes.writeUInt8(asns.length, 1);
  asns.forEach((asn, index) => {
    const written = fourOctetAs || asn <= 0xffff ? asn : asTrans;
    bytes.writeUIntBE(written, 2 + index * width, width);
  });
  return bytes;
}
