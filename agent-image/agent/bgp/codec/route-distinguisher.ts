import { formatAdministratorValue, isAdministratorType, parseAdministratorValue } from "./administrator-value.js";

export const routeDistinguisherLength = 8;

/** Marks types that RFC 4364 does not name, so that such routes still have a key of their own. */
const unknownPrefix = "0x";

/** 8 bytes: type (2) and value (6), RFC 4364 section 4.2. */
export function routeDistinguisherToBytes(text: string): Buffer {
  if (text.startsWith(unknownPrefix)) {
    return Buffer.from(text.slice(unknownPrefix.length), "hex");
  }
  const { type, bytes } = parseAdministratorValue(text);
  return Buffer.concat([Buffer.from([0, type]), bytes]);
}

export function routeDistinguisherFromBytes(bytes: Buffer): string {
  const type = bytes.readUInt16BE(0);
  return isAdministratorType(type)
    ? formatAdministratorValue(type, bytes.subarray(2))
    : `${unknownPrefix}${bytes.toString("hex")}`;
}
