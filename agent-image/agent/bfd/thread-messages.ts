import type { BfdNews, BfdTarget, HeldSession } from "./bfd-speaker.js";
import type { BfdParameters } from "./parameters.js";

/** What the agent's main thread tells the thread of BFD. */
export type BfdOrder =
  | {
      readonly kind: "open";
      readonly id: number;
      readonly target: BfdTarget;
      readonly parameters: BfdParameters;
      /** Of a thread that has ended; absent for a new session. */
      readonly held?: HeldSession;
    }
  | { readonly kind: "configure"; readonly id: number; readonly parameters: BfdParameters }
  | { readonly kind: "close"; readonly id: number }
  /** The thread ends when all has left. */
  | { readonly kind: "end" };

/** What it hears. */
export interface BfdMessage {
  readonly id: number;
  readonly news: BfdNews;
  /** Absent where there is no session. */
  readonly held?: HeldSession;
}
