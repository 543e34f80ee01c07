import { isIPv4 } from "node:net";
import { addressFromBytes, addressToBytes } from "./ip-address.js";

/**
 * The six bytes `administrator:number` that route distinguishers (RFC 4364 section 4.2) and route targets (RFC 4360
 * section 4, RFC 5668) share. Types: 0 = two-octet AS and 32-bit number, 1 = IPv4 address and 16-bit number, 2 =
 * four-octet AS and 16-bit number.
 */
export type AdministratorType = 0 | 1 | 2;

export const administratorValueLength = 6;

const maximum16 = 0xffff;
const maximum32 = 0xffffffff;

export interface AdministratorValue {
  readonly type: AdministratorType;
  readonly bytes: Buffer;
}

/**
 * `65001:228`, `10.0.7.11:228` or `4200000000:228`. A four-octet AS that would fit two octets carries an `L`
 * (`65001L:228`), because its bytes differ from the two-octet form and both are compared as they are.
 */
export function parseAdministratorValue(text: string): AdministratorValue {
  const match = /^(?<administrator>[0-9.]+)(?<long>L?):(?<number>[0-9]+)$/.exec(text);
  const { administrator, long, number } = match?.groups ?? {};
  if (administrator === undefined || number === undefined) {
    throw new TypeError(`"${text}" has none of the forms AS:NUMBER and A.B.C.D:NUMBER`);
  }
  const assigned = Number(number);
  if (administrator.includes(".")) {
    if (!isIPv4(administrator)) {
      throw new TypeError(`"${administrator}" in "${text}" is not an IPv4 address`);
    }
    return { type: 1, bytes: Buffer.concat([addressToBytes(administrator), uint16(assigned, text)]) };
  }
  const as = Number(administrator);
  if (as > maximum32) {
    throw new TypeError(`the AS number ${administrator} in "${text}" is above ${maximum32}`);
  }
  const bytes = Buffer.alloc(administratorValueLength);
  if (as <= maximum16 && long === "") {
    if (assigned > maximum32) {
      throw new TypeError(`the number ${number} in "${text}" is above ${maximum32}`);
    }
    bytes.writeUInt16BE(as, 0);
    bytes.writeUInt32BE(assigned, 2);
    return { type: 0, bytes };
  }
  bytes.writeUInt32BE(as, 0);
  bytes.set(uint16(assigned, text), 4);
  return { type: 2, bytes };
}

export function formatAdministratorValue(type: AdministratorType, bytes: Buffer): string {
  switch (type) {
    case 0:
      return `${bytes.readUInt16BE(0)}:${bytes.readUInt32BE(2)}`;
    case 1:
      return `${addressFromBytes(bytes.subarray(0, 4))}:${bytes.readUInt16BE(4)}`;
    case 2: {
      const as = bytes.readUInt32BE(0);
      return `${as}${as <= maximum16 ? "L" : ""}:${bytes.readUInt16BE(4)}`;
    }
  }
}

export function isAdministratorType(type: number): type is AdministratorType {
  return type === 0 || type === 1 || type === 2;
}

function uint16(value: number, text: string): Buffer {
  if (value > maximum16) {
    throw new TypeError(
      `the number ${value} in "${text}" is above ${maximum16}: with an IPv4 address or a four-octet AS it has 16 bits`,
    );
  }
  return Buffer.from([value >>> 8, value & 0xff]);
}
