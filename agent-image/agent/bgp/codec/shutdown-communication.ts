import type { ErrorCode } from "./bgp-error.js";
import { printable } from "./printable.js";

/** RFC 9003 section 2: the length is one byte. */
const longestText = 255;

/** RFC 4486 section 3; the two that carry a text. */
const cease = 6;
const textSubcodes: readonly number[] = [2, 4];

/** The data of an Administrative Shutdown or Reset: length (1) | UTF-8 text, cut between two characters where it is too long. */
export function encodeShutdownCommunication(text: string): Buffer {
  let bytes = Buffer.from(text);
  if (bytes.length > longestText) {
    let end = longestText;
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    bytes = bytes.subarray(0, end);
  }
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/**
 * What the other operator typed, for people; undefined where the code carries no text, it is empty or its length does not
 * hold. What could act on a terminal or break a line of a log is replaced.
 */
export function shutdownCommunication(errorCode: ErrorCode, data: Buffer): string | undefined {
  const length = data[0];
  if (!carriesText(errorCode) || length === undefined || length === 0 || length > data.length - 1) {
    return undefined;
  }
  return printable(data.toString("utf8", 1, 1 + length));
}

function carriesText({ code, subcode }: ErrorCode): boolean {
  return code === cease && textSubcodes.includes(subcode);
}
