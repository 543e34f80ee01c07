import type { OpenMessage } from "../codec/open.js";
import type { MessageCounts } from "./message-counts.js";

/** What an operator asks of one session beyond its state. */
export interface SessionDetails {
  /** Our OPEN over the connection that there is or was last. */
  readonly ownOpen: OpenMessage | undefined;
  /** The peer's. */
  readonly peerOpen: OpenMessage | undefined;
  /** Seconds, of both OPEN messages; undefined where there is no session. */
  readonly negotiatedHoldTime: number | undefined;
  readonly sent: MessageCounts;
  readonly received: MessageCounts;
}
