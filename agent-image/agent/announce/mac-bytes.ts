/** The six octets of a MAC address in text. */
export function macBytes(mac: string): Buffer {
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(mac)) {
    throw new Error(`"${mac}" is not a MAC address: a frame needs six octets in the form 02:00:00:00:00:01`);
  }
  return Buffer.from(mac.replaceAll(":", ""), "hex");
}
