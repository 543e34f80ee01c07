/** The six octets of a MAC address in text. */
export function macBytes(mac: string): Buffer {
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(mac)) {
    throw new Error(`"${mac}" is not a MAC address: a frame needs six octets in the form 02:00:00:00:00:01`);
  }
  return Buffer.from(mac.replaceAll(":", ""), "hex");
}

/** The MAC address whose six octets begin at an offset of a frame. */
export function macAt(frame: Buffer, offset: number): string {
  return [...frame.subarray(offset, offset + 6)].map((octet) => octet.toString(16).padStart(2, "0")).join(":");
}
