const macPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** 6 bytes; throws a TypeError on text that is not six hex bytes with colons. */
export function macToBytes(text: string): Buffer {
  const bytes = Buffer.alloc(6);
  writeMac(text, bytes, 0);
  return bytes;
}

/** The same into other bytes. */
export function writeMac(text: string, bytes: Buffer, offset: number): void {
  if (!macPattern.test(text)) {
    throw new TypeError(`"${text}" is not a MAC address of the form 02:00:00:00:00:01`);
  }
  for (let position = 0; position < 6; position++) {
    bytes[offset + position] = (digitAt(text, 3 * position) << 4) | digitAt(text, 3 * position + 1);
  }
}

/** Of a hexadecimal digit: letters have 9 less in their low four bits than they mean. */
function digitAt(text: string, position: number): number {
  const code = text.charCodeAt(position);
  return (code & 0xf) + (code > 0x39 ? 9 : 0);
}

const colon = 0x3a;
/** Character codes of the hexadecimal digits of each byte. */
const [high, low] = [4, 0].map((shift) =>
  Uint8Array.from({ length: 256 }, (_, byte) => ((byte >>> shift) & 0xf).toString(16).charCodeAt(0)),
) as [Uint8Array, Uint8Array];

/** Lower case with colons, as iproute2 prints it. */
export function macFromBytes(bytes: Buffer, offset = 0): string {
  const digit = (digits: Uint8Array, position: number) => digits[bytes[offset + position] ?? 0] ?? 0;
  // One string of seventeen characters: pieces that are put together stay in memory beside their whole.
  return String.fromCharCode(
    digit(high, 0),
    digit(low, 0),
    colon,
    digit(high, 1),
    digit(low, 1),
    colon,
    digit(high, 2),
    digit(low, 2),
    colon,
    digit(high, 3),
    digit(low, 3),
    colon,
    digit(high, 4),
    digit(low, 4),
    colon,
    digit(high, 5),
    digit(low, 5),
  );
}
