import { BgpError, errorCodes } from "./bgp-error.js";

/** RFC 4271 section 4.1: marker (16, all ones) | length (2, header included) | type (1). */
export const headerLength = 19;

/** RFC 4271 section 4.1. */
export const maximumMessageLength = 4096;
/** RFC 8654 section 3: for all messages but OPEN and KEEPALIVE, where both sides offered it. */
export const maximumExtendedMessageLength = 65535;

export type MessageKind = "open" | "update" | "notification" | "keepalive" | "route-refresh";

interface MessageType {
  readonly kind: MessageKind;
  readonly type: number;
  /** Header included (RFC 4271 section 6.1, RFC 2918 section 3). */
  readonly minimum: number;
  /** Where one length alone, or a limit of its own, holds. */
  readonly maximum?: number;
}

const messageTypes: readonly MessageType[] = [
  { kind: "open", type: 1, minimum: 29, maximum: maximumMessageLength },
  { kind: "update", type: 2, minimum: 23 },
  { kind: "notification", type: 3, minimum: 21 },
  { kind: "keepalive", type: 4, minimum: headerLength, maximum: headerLength },
  { kind: "route-refresh", type: 5, minimum: headerLength },
];

const byNumber = new Map(messageTypes.map((entry) => [entry.type, entry]));
const byKind = new Map(messageTypes.map((entry) => [entry.kind, entry]));

const marker = Buffer.alloc(16, 0xff);

/** One whole message, still undecoded. */
export interface Frame {
  readonly kind: MessageKind;
  readonly body: Buffer;
}

export function encodeMessage(kind: MessageKind, body: Buffer): Buffer {
  const header = Buffer.alloc(headerLength, 0xff);
  header.writeUInt16BE(headerLength + body.length, 16);
  header.writeUInt8(byKind.get(kind)?.type ?? 0, 18);
  return Buffer.concat([header, body]);
}

/** @param message a whole one, of a known type */
export function messageKindOf(message: Buffer): MessageKind {
  return decodeHeader(message, maximumExtendedMessageLength).kind;
}

/** Cuts the byte stream of a TCP connection into messages. */
export class MessageFramer {
  /** Raised to 65535 once both sides have offered extended messages. */
  maximumLength: number = maximumMessageLength;
  #pending: Buffer = Buffer.alloc(0);

  /**
   * Yields the messages that the new bytes complete. Throws a BgpError on a broken header (RFC 4271 section 6.1); after
   * that the stream cannot be read on.
   */
  *push(chunk: Buffer): Generator<Frame, void, undefined> {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= headerLength) {
      const { kind, length } = decodeHeader(this.#pending, this.maximumLength);
      if (this.#pending.length < length) {
        return;
      }
      const body = this.#pending.subarray(headerLength, length);
      this.#pending = this.#pending.subarray(length);
      yield { kind, body };
    }
  }
}

function decodeHeader(bytes: Buffer, maximumLength: number): { kind: MessageKind; length: number } {
  if (!bytes.subarray(0, marker.length).equals(marker)) {
    throw new BgpError(errorCodes.connectionNotSynchronized, "the marker of a message header is not all ones");
  }
  const lengthField = bytes.subarray(16, 18);
  const length = lengthField.readUInt16BE(0);
  if (length < headerLength || length > maximumLength) {
    const message = `message length ${length} is not between ${headerLength} and ${maximumLength}`;
    throw new BgpError(errorCodes.badMessageLength, message, lengthField);
  }
  const type = bytes.readUInt8(18);
  const entry = byNumber.get(type);
  if (entry === undefined) {
    throw new BgpError(errorCodes.badMessageType, `message type ${type} is unknown`, bytes.subarray(18, 19));
  }
  if (length < entry.minimum || length > (entry.maximum ?? maximumLength)) {
    const message = `length ${length} cannot be that of a message of type ${entry.kind}`;
    throw new BgpError(errorCodes.badMessageLength, message, lengthField);
  }
  return { kind: entry.kind, length };
}
