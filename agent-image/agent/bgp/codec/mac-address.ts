const macPattern = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** 6 bytes; throws a TypeError on text that is not six hex bytes with colons. */
export function macToBytes(text: string): Buffer {
  if (!macPattern.test(text)) {
    throw new TypeError(`"${text}" is not a MAC address of the form 02:00:00:00:00:01`);
  }
  return Buffer.from(text.replaceAll(":", ""), "hex");
}

/** Lower case with colons, as iproute2 prints it. */
export function macFromBytes(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}:${hex.slice(6, 8)}:${hex.slice(8, 10)}:${hex.slice(10, 12)}`;
}
