import { BgpError, errorCodes } from "./bgp-error.js";
import { ByteReader } from "./byte-reader.js";
import { addressFromBytes, addressToBytes } from "./ip-address.js";

/**
 * P-Multicast Service Interface tunnel attribute (RFC 6514 section 5):
 *
 *     flags (1) | tunnel type (1) | label (3) | tunnel identifier (rest)
 *
 * With VXLAN the label field is the whole 24-bit VNI (RFC 8365 section 5.1.3).
 */
export interface PmsiTunnel {
  readonly tunnelType: number;
  readonly label: number;
  /** Where to send flooded frames; only of type 6, ingress replication. */
  readonly endpoint: string | undefined;
}

/** Ingress replication; its identifier is the unicast address of the egress VTEP (RFC 6514 section 5). */
export const ingressReplication = 6;

/** RFC 7385 section 6 keeps these two; a tunnel cannot have them. */
const reservedTunnelTypes: readonly number[] = [0x7f, 0xff];

export function decodePmsiTunnel(value: Buffer): PmsiTunnel {
  const reader = new ByteReader(value, errorCodes.attributeLengthError);
  reader.uint8("PMSI flags");
  const tunnelType = reader.uint8("PMSI tunnel type");
  const label = reader.uint24("PMSI label");
  const identifier = reader.rest();
  if (reservedTunnelTypes.includes(tunnelType)) {
    throw new BgpError(errorCodes.optionalAttributeError, `PMSI tunnel type ${tunnelType} is reserved`);
  }
  if (tunnelType !== ingressReplication) {
    return { tunnelType, label, endpoint: undefined };
  }
  if (identifier.length !== 4 && identifier.length !== 16) {
    throw new BgpError(
      errorCodes.attributeLengthError,
      `PMSI tunnel identifier of ingress replication has ${identifier.length} bytes, not 4 or 16`,
    );
  }
  return { tunnelType, label, endpoint: addressFromBytes(identifier) };
}

export function encodeIngressReplication(label: number, endpoint: string): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(ingressReplication, 1);
  header.writeUIntBE(label, 2, 3);
  return Buffer.concat([header, addressToBytes(endpoint)]);
}
