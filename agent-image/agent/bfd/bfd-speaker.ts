import { canonicalAddress } from "../../../model/index.js";
import type { Clock } from "../bgp/session/clock.js";
import { type BfdReport, BfdSession } from "./bfd-session.js";
import { decodeControlPacket } from "./control-packet.js";
import type { Hop } from "./hop.js";
import type { BfdParameters } from "./parameters.js";
import { type BfdMachine, initialMachine } from "./session-machine.js";
import type { ControlReceiver, ControlSender, DatagramHandler } from "./udp-port.js";

export interface BfdTarget {
  /** Canonical, as `peer`. */
  readonly local: string;
  readonly peer: string;
  readonly hop: Hop;
}

/** What a session is, or why it cannot be. */
export type BfdNews =
  | { readonly kind: "report"; readonly report: BfdReport }
  | { readonly kind: "problem"; readonly problem: BfdProblem };

export interface BfdProblem {
  /** The error's name, such as EADDRINUSE. */
  readonly code: string;
  readonly message: string;
}

/** What another thread needs to go on with a session as if nothing had happened. */
export interface HeldSession {
  readonly machine: BfdMachine;
  /** See {@link ControlSender.descriptor}. */
  readonly descriptor: number;
}

export interface BfdSpeakerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Not 0. */
  readonly newDiscriminator: () => number;
  readonly afterPendingInput: (action: () => void) => void;
  readonly openReceiver: (local: string, hop: Hop, onDatagram: DatagramHandler) => ControlReceiver;
  readonly openSender: (local: string, peer: string, hop: Hop) => ControlSender;
  readonly takeSender: (descriptor: number, peer: string, hop: Hop) => ControlSender;
  readonly onNews: (id: number, news: BfdNews, held?: HeldSession) => void;
}

interface OpenSession {
  readonly target: BfdTarget;
  readonly session: BfdSession;
  readonly sender: ControlSender;
}

interface WaitingSession {
  readonly target: BfdTarget;
  readonly parameters: BfdParameters;
  readonly cancel: () => void;
}

interface SharedReceiver {
  readonly receiver: ControlReceiver;
  /** Sessions that hear by it. */
  users: number;
}

/** Milliseconds until a socket that could not be opened is tried again: its address or port may come. */
const retryDelay = 5000;

/** All BFD sessions of a node: finds the session of each packet, and keeps the sockets. */
export class BfdSpeaker {
  readonly #options: BfdSpeakerOptions;
  /** By the id that the caller gave. */
  readonly #open = new Map<number, OpenSession>();
  readonly #waiting = new Map<number, WaitingSession>();
  /** Closed for the caller; they still say so to their peers. */
  readonly #leaving = new Set<() => void>();
  readonly #byDiscriminator = new Map<number, OpenSession>();
  /** By {@link pairOf}; what a packet that does not name a session is for (RFC 5881 section 3, RFC 5883 section 4). */
  readonly #byPair = new Map<string, OpenSession>();
  readonly #receivers = new Map<string, SharedReceiver>();

  constructor(options: BfdSpeakerOptions) {
    this.#options = options;
  }

  /**
   * @param id by which the news of this session are told; not of one that is open
   * @param held with which the session goes on; a new one without it
   */
  open(id: number, target: BfdTarget, parameters: BfdParameters, held?: HeldSession): void {
    try {
      this.#begin(id, target, parameters, held);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      const cancel = this.#options.clock.schedule(retryDelay, () => {
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        this.open(id, target, waiting?.parameters ?? parameters, held);
      });
      this.#waiting.set(id, { target, parameters, cancel });
      this.#options.onNews(id, { kind: "problem", problem: { code, message } });
    }
  }

  configure(id: number, parameters: BfdParameters): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      this.#waiting.set(id, { ...waiting, parameters });
    }
    this.#open.get(id)?.session.configure(parameters);
  }

  /** The peer hears AdminDown for as long as it would have waited for a packet. */
  close(id: number): void {
    this.#waiting.get(id)?.cancel();
    this.#waiting.delete(id);
    const open = this.#open.get(id);
    if (open === undefined) {
      return;
    }
    this.#open.delete(id);
    const patience = open.session.shutDown();
    // Its place is free at once for a successor, which has a discriminator of its own.
    this.#byPair.delete(pairOf(open.target));
    const finish = (): void => {
      cancel();
      this.#leaving.delete(finish);
      this.#finish(open);
    };
    const cancel = this.#options.clock.schedule(patience, finish);
    this.#leaving.add(finish);
  }

  /** Says AdminDown once for each session, and closes everything. */
  end(): void {
    for (const id of [...this.#open.keys(), ...this.#waiting.keys()]) {
      this.close(id);
    }
    for (const finish of [...this.#leaving]) {
      finish();
    }
  }

  #begin(id: number, target: BfdTarget, parameters: BfdParameters, held: HeldSession | undefined): void {
    const { clock, random, afterPendingInput, openSender, takeSender, onNews } = this.#options;
    const { local, peer, hop } = target;
    this.#useReceiver(target);
    try {
      const sender = held === undefined ? openSender(local, peer, hop) : takeSender(held.descriptor, peer, hop);
      const session = new BfdSession({
        machine: held?.machine ?? initialMachine(this.#freeDiscriminator(), parameters),
        clock,
        random,
        afterPendingInput,
        send: (packet) => sender.send(packet),
        onReport: (report) => {
          if (this.#open.get(id)?.session === session) onNews(id, { kind: "report", report }, heldOf(open));
        },
      });
      const open = { target, session, sender };
      this.#open.set(id, open);
      this.#byDiscriminator.set(session.discriminator, open);
      this.#byPair.set(pairOf(target), open);
      if (held !== undefined) session.configure(parameters);
      onNews(id, { kind: "report", report: session.report }, heldOf(open));
    } catch (error) {
      this.#leaveReceiver(target);
      throw error;
    }
  }

  #finish({ target, session, sender }: OpenSession): void {
    session.end();
    sender.close();
    this.#byDiscriminator.delete(session.discriminator);
    this.#leaveReceiver(target);
  }

  #useReceiver({ local, hop }: BfdTarget): void {
    const key = placeOf({ local, hop });
    const shared = this.#receivers.get(key);
    if (shared !== undefined) {
      shared.users += 1;
      return;
    }
    const receiver = this.#options.openReceiver(local, hop, (source, payload) =>
      this.#receive(local, hop, source, payload),
    );
    this.#receivers.set(key, { receiver, users: 1 });
  }

  #leaveReceiver(target: BfdTarget): void {
    const key = placeOf(target);
    const shared = this.#receivers.get(key);
    if (shared !== undefined) {
      shared.users -= 1;
      if (shared.users === 0) {
        this.#receivers.delete(key);
        shared.receiver.close();
      }
    }
  }

  /** RFC 5880 section 6.8.6: what names a session is for it wherever it comes from, as long as it came by the session's port. */
  #receive(local: string, hop: Hop, source: string, payload: Buffer): void {
    const decoded = decodeControlPacket(payload);
    if (decoded.kind === "discard") {
      return;
    }
    const { packet } = decoded;
    const found =
      packet.yourDiscriminator === 0
        ? this.#byPair.get(pairOf({ local, hop, peer: canonicalAddress(source) }))
        : this.#byDiscriminator.get(packet.yourDiscriminator);
    if (found !== undefined && placeOf(found.target) === placeOf({ local, hop })) {
      found.session.receive(packet);
    }
  }

  #freeDiscriminator(): number {
    for (;;) {
      const discriminator = this.#options.newDiscriminator();
      if (!this.#byDiscriminator.has(discriminator)) {
        return discriminator;
      }
    }
  }
}

function heldOf({ session, sender }: OpenSession): HeldSession {
  return { machine: session.machine, descriptor: sender.descriptor };
}

function placeOf({ local, hop }: Pick<BfdTarget, "local" | "hop">): string {
  return `${hop} ${local}`;
}

function pairOf({ local, peer, hop }: BfdTarget): string {
  return `${hop} ${local} ${peer}`;
}
