/** Bytes from hex digits; spaces are for the reader. */
export function hex(digits: string): Buffer {
  return Buffer.from(digits.replaceAll(/\s/g, ""), "hex");
}

/** A whole message (RFC 4271 section 4.1) around a body, made without the code under test. */
export function message(type: number, body: Buffer): Buffer {
  const header = Buffer.alloc(19, 0xff);
  header.writeUInt16BE(19 + body.length, 16);
  header.writeUInt8(type, 18);
  return Buffer.concat([header, body]);
}
