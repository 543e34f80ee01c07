import { type MessageKind, messageKindOf } from "../codec/message-header.js";

export type MessageCounts = Readonly<Record<MessageKind, number>>;

/** How many messages went over the connections with one peer, since the peer was declared. */
export class MessageCounter {
  readonly #sent = noMessages();
  readonly #received = noMessages();

  get sent(): MessageCounts {
    return { ...this.#sent };
  }

  get received(): MessageCounts {
    return { ...this.#received };
  }

  /** @param messages whole ones */
  countSent(messages: readonly Buffer[]): void {
    for (const message of messages) this.#sent[messageKindOf(message)] += 1;
  }

  countReceived(kind: MessageKind): void {
    this.#received[kind] += 1;
  }
}

function noMessages(): Record<MessageKind, number> {
  return { open: 0, update: 0, notification: 0, keepalive: 0, "route-refresh": 0 };
}
