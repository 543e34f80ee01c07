import { isEvpn } from "../codec/address-family.js";
import { BgpError, type ErrorCode } from "../codec/bgp-error.js";
import { type BgpMessage, decodeMessage } from "../codec/decode-message.js";
import {
  type Frame,
  headerLength,
  MessageFramer,
  type MessageKind,
  maximumExtendedMessageLength,
} from "../codec/message-header.js";
import { describeNotification } from "../codec/notification.js";
import type { OpenMessage } from "../codec/open.js";
import { attributeName, splitAttribute } from "../codec/path-attributes.js";
import { refreshPurpose } from "../codec/route-refresh.js";
import { splitUpdate, type UpdateMessage } from "../codec/update.js";
import { negotiate } from "../session/negotiation.js";

/** From weak to strong, what the speaker does about a message. */
export type Verdict = "accept" | "refresh-ignored" | "discard" | "withdraw" | "reset";

export interface Reason {
  readonly message: string;
  /** Such as `RFC 7606 section 7.1`. */
  readonly clause: string;
}

/** A path attribute as it stands in the message, whether its value can be read or not. */
export interface ListedAttribute {
  readonly type: number;
  readonly name: string;
  readonly flags: number;
  /** Hex. */
  readonly value: string;
}

export interface Explanation {
  /** Undefined where the header cannot be read. */
  readonly type: MessageKind | undefined;
  /** Bytes, header included. */
  readonly length: number;
  /** Of an UPDATE. */
  readonly attributes: readonly ListedAttribute[];
  /** Undefined where the message ends the session. */
  readonly content: BgpMessage | undefined;
  readonly verdict: Verdict;
  /** What the peer is told before the session ends. */
  readonly notification: (ErrorCode & { readonly data: Buffer }) | undefined;
  /** Why it is not simply accepted; for a NOTIFICATION what it says. */
  readonly reasons: readonly Reason[];
}

export interface ExplainContext {
  /** iBGP: the peer is in our AS. */
  readonly internal: boolean;
  /** Messages of up to 65535 bytes are negotiated (RFC 8654). */
  readonly extended?: boolean;
}

/** The bytes end inside a message: the speaker would wait for the rest. */
export class IncompleteMessage extends Error {
  override readonly name = "IncompleteMessage";
}

/**
 * The messages of a piece of stream, with what the speaker does about each: the same decoder, the same rules. Taken for
 * given: four-octet AS numbers (RFC 6793), and that a message of this type is due. Ends
 * at a broken header, because what follows cannot be read. Throws IncompleteMessage.
 */
export function* explainStream(bytes: Buffer, context: ExplainContext): Generator<Explanation, void, undefined> {
  const framer = new MessageFramer();
  if (context.extended) framer.maximumLength = maximumExtendedMessageLength;
  let read = 0;
  try {
    for (const frame of framer.push(bytes)) {
      read += headerLength + frame.body.length;
      yield explain(frame, context);
    }
  } catch (error) {
    yield { type: undefined, length: bytes.length - read, attributes: [], content: undefined, ...reset(error) };
    return;
  }
  if (read < bytes.length || bytes.length === 0) {
    const rest = bytes.length - read;
    throw new IncompleteMessage(
      rest < headerLength
        ? `${rest} bytes are no whole message: a header alone has ${headerLength}`
        : `the header says ${bytes.readUInt16BE(read + 16)} bytes but ${rest} are given`,
    );
  }
}

function explain(frame: Frame, context: ExplainContext): Explanation {
  const shared = {
    type: frame.kind,
    length: headerLength + frame.body.length,
    attributes: frame.kind === "update" ? listAttributes(frame.body) : [],
  };
  try {
    const content = decodeMessage(frame, { ...context, fourOctetAs: true });
    return { ...shared, content, notification: undefined, ...judge(content, context) };
  } catch (error) {
    return { ...shared, content: undefined, ...reset(error) };
  }
}

type Judgement = Pick<Explanation, "verdict" | "reasons">;

const accept: Judgement = { verdict: "accept", reasons: [] };

function judge(message: BgpMessage, context: ExplainContext): Judgement {
  switch (message.kind) {
    case "open":
      negotiate(counterpart(message, context), message);
      return accept;
    case "update":
      return judgeUpdate(message);
    case "notification":
      return {
        verdict: "accept",
        reasons: [{ message: describeNotification(message), clause: "RFC 4271 section 4.5" }],
      };
    case "keepalive":
      return accept;
    case "route-refresh":
      return refreshPurpose(message) !== undefined
        ? accept
        : {
            verdict: "refresh-ignored",
            reasons: [
              {
                message: `AFI ${message.family.afi}, SAFI ${message.family.safi}, subtype ${message.subtype} asks for nothing that was offered`,
                clause: isEvpn(message.family) ? "RFC 7313 section 5" : "RFC 2918 section 4",
              },
            ],
          };
  }
}

/** A left out route is a withdrawn one: if it was there before and can be told from others, it is not any more. */
function judgeUpdate({ faults }: UpdateMessage): Judgement {
  const [first] = faults;
  if (first === undefined) {
    return accept;
  }
  const onlyDiscards = faults.every(({ action }) => action === "attribute-discard");
  return {
    verdict: onlyDiscards ? "discard" : "withdraw",
    reasons: faults.map(({ message, clause }) => ({ message, clause })),
  };
}

/** Documentation addresses (RFC 5737): a speaker that the peer cannot take for itself. */
const identifiers = ["192.0.2.1", "192.0.2.2"] as const;
/** RFC 6996 section 5: private use. */
const privateAsns = [64512, 64513] as const;

/** A session for which everything is right that a message alone does not tell. */
function counterpart(open: OpenMessage, { internal }: ExplainContext): Parameters<typeof negotiate>[0] {
  const peerAsn = open.as === 0 ? privateAsns[0] : open.as;
  const otherAsn = peerAsn === privateAsns[0] ? privateAsns[1] : privateAsns[0];
  return {
    localAsn: internal ? peerAsn : otherAsn,
    peerAsn,
    routerId: open.bgpIdentifier === identifiers[0] ? identifiers[1] : identifiers[0],
    holdTime: 90,
    restarted: false,
  };
}

function reset(error: unknown): Pick<Explanation, "verdict" | "notification" | "reasons"> {
  if (!(error instanceof BgpError)) {
    throw error;
  }
  const { errorCode, data, message, clause } = error;
  return { verdict: "reset", notification: { ...errorCode, data }, reasons: [{ message, clause }] };
}

function listAttributes(body: Buffer): ListedAttribute[] {
  const field = attributeField(body);
  const listed: ListedAttribute[] = [];
  for (let next = splitAttribute(field, 0); next !== undefined; ) {
    const { type, flags, value, end } = next;
    listed.push({ type, name: attributeName(type) ?? "unknown", flags, value: value.toString("hex") });
    next = end < field.length ? splitAttribute(field, end) : undefined;
  }
  return listed;
}

/** Empty where the lengths of the message do not hold. */
function attributeField(body: Buffer): Buffer {
  try {
    return splitUpdate(body).attributeField;
  } catch (error) {
    if (!(error instanceof BgpError)) {
      throw error;
    }
    return Buffer.alloc(0);
  }
}
