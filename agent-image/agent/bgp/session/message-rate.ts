import { type Fill, judgeFill } from "../rib/route-limit.js";

/** Messages that may come at any speed: many times the table of a very large fabric with each route in a message of its own. */
export const messageBurst = 2_000_000;

/** Messages in a second that a peer may send for ever. */
export const sustainedMessages = 10_000;

/**
 * How fast the messages of a peer are taken (a token bucket): one that never ends must not keep the node from everything else. It
 * is read more slowly then, and TCP tells it so; nothing is dropped, and its session stands.
 */
export class MessageRate {
  #spent = 0;
  #at = 0;

  /**
   * For one message.
   *
   * @param now milliseconds of a monotonic clock
   * @returns milliseconds to wait before more is read
   */
  take(now: number): number {
    this.#spent = this.#spentAt(now) + 1;
    this.#at = now;
    return Math.max(0, ((this.#spent - messageBurst) * 1000) / sustainedMessages);
  }

  fill(now: number): Fill {
    return judgeFill(this.#spentAt(now), messageBurst);
  }

  #spentAt(now: number): number {
    return Math.max(0, this.#spent - ((now - this.#at) * sustainedMessages) / 1000);
  }
}
