import { encodeMessage } from "./message-header.js";

/** RFC 4271 section 4.4: a header and nothing else. */
export interface KeepaliveMessage {
  readonly kind: "keepalive";
}

export const keepaliveBytes: Buffer = encodeMessage("keepalive", Buffer.alloc(0));
