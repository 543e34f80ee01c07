import type { BfdState } from "../../../model/index.js";
import type { Clock } from "../bgp/session/clock.js";
import { type ControlPacket, encodeControlPacket } from "./control-packet.js";
import type { BfdParameters } from "./parameters.js";
import {
  type BfdEvent,
  type BfdMachine,
  detectionTime,
  packetOf,
  transition,
  transmissionInterval,
} from "./session-machine.js";
import { jitteredInterval } from "./timing.js";

/** What a session is, as far as others act on it. */
export interface BfdReport {
  readonly state: BfdState;
  /** As the peer said last. */
  readonly remoteState: BfdState;
  /** Of RFC 5880 section 4.1: why the state is what it is. */
  readonly diagnostic: number;
  /** The peer's BFD goes on when its control plane does not (the C bit of its last packet). */
  readonly peerControlPlaneIndependent: boolean;
}

export interface BfdSessionOptions {
  /** What the session begins with, or goes on with where another thread has held it until now. */
  readonly machine: BfdMachine;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Runs an action after what has come in already was handed to {@link BfdSession.receive}. */
  readonly afterPendingInput: (action: () => void) => void;
  readonly send: (packet: Buffer) => void;
  readonly onReport: (report: BfdReport) => void;
}

const microsecondsPerMillisecond = 1000;

/** One session with its timers: carries out what the state machine decides and tells it what happens. */
export class BfdSession {
  readonly #options: BfdSessionOptions;
  #machine: BfdMachine;
  #report: BfdReport;
  /** The packet that left last, answers to a Poll aside, without P. */
  #said: Buffer | undefined;
  #sentAt = 0;
  #interval: number | undefined;
  #heardAt: number | undefined;
  #cancelTransmission: (() => void) | undefined;
  #cancelDetection: (() => void) | undefined;

  constructor(options: BfdSessionOptions) {
    this.#options = options;
    this.#machine = options.machine;
    this.#report = reportOf(this.#machine);
    // What came while nobody listened is not missed.
    this.#heardAt = detectionTime(this.#machine) === undefined ? undefined : options.clock.now();
    this.#awaitPacket();
    this.#speak();
  }

  get discriminator(): number {
    return this.#machine.discriminator;
  }

  get report(): BfdReport {
    return this.#report;
  }

  get machine(): BfdMachine {
    return this.#machine;
  }

  receive(packet: ControlPacket): void {
    this.#apply({ kind: "received", packet });
  }

  configure(parameters: BfdParameters): void {
    this.#apply({ kind: "configure", parameters });
  }

  /** Tells the peer that the end is no failure. Returns the milliseconds for which the packets should go on (section 6.8.16). */
  shutDown(): number {
    // What the peer calls its detection time, were it to hear nothing any more.
    const interval = transmissionInterval(this.#machine) ?? 0;
    const patience = (this.#machine.parameters.multiplier * interval) / microsecondsPerMillisecond;
    this.#apply({ kind: "shut-down" });
    return patience;
  }

  /** Nothing is sent or reported any more. */
  end(): void {
    this.#cancelTransmission?.();
    this.#cancelDetection?.();
  }

  #apply(event: BfdEvent): void {
    const { machine, answerPoll, heard } = transition(this.#machine, event);
    this.#machine = machine;
    if (answerPoll) {
      // Section 6.8.7: never P and F in one packet.
      this.#options.send(encodeControlPacket({ ...packetOf(machine), poll: false, final: true }));
    }
    if (heard) {
      this.#heardAt = this.#options.clock.now();
    }
    this.#awaitPacket();
    this.#speak();
    this.#tell();
  }

  /** At once where there is something new to say, else when it is time. */
  #speak(): void {
    const content = encodeControlPacket({ ...packetOf(this.#machine), poll: false });
    if (this.#said === undefined || !content.equals(this.#said)) {
      this.#said = content;
      this.#transmit();
    } else if (transmissionInterval(this.#machine) !== this.#interval) {
      this.#scheduleTransmission();
    }
  }

  #transmit(): void {
    this.#options.send(encodeControlPacket(packetOf(this.#machine)));
    this.#sentAt = this.#options.clock.now();
    this.#scheduleTransmission();
  }

  /** From the last packet on: a shorter interval counts at once (section 6.8.3). */
  #scheduleTransmission(): void {
    this.#cancelTransmission?.();
    this.#interval = transmissionInterval(this.#machine);
    if (this.#interval === undefined) {
      return;
    }
    const { clock, random } = this.#options;
    const wait = jitteredInterval(this.#interval, this.#machine.parameters.multiplier, random());
    const passed = clock.now() - this.#sentAt;
    const left = Math.max(0, wait / microsecondsPerMillisecond - passed);
    this.#cancelTransmission = clock.schedule(left, () => this.#transmit());
  }

  #awaitPacket(): void {
    this.#cancelDetection?.();
    const deadline = this.#detectionDeadline();
    if (deadline !== undefined) {
      const left = Math.max(0, deadline - this.#options.clock.now());
      this.#cancelDetection = this.#options.clock.schedule(left, () => this.#missPacket());
    }
  }

  #detectionDeadline(): number | undefined {
    const time = detectionTime(this.#machine);
    return time === undefined || this.#heardAt === undefined
      ? undefined
      : this.#heardAt + time / microsecondsPerMillisecond;
  }

  /** A process that was held up itself has packets waiting that came in time. */
  #missPacket(): void {
    const heardBefore = this.#heardAt;
    this.#cancelDetection = undefined;
    this.#options.afterPendingInput(() => {
      if (this.#heardAt !== heardBefore) {
        return;
      }
      // A timer may be early by less than a millisecond.
      if ((this.#detectionDeadline() ?? 0) > this.#options.clock.now()) {
        this.#awaitPacket();
        return;
      }
      this.#heardAt = undefined;
      this.#apply({ kind: "detection-time-expired" });
    });
  }

  #tell(): void {
    const report = reportOf(this.#machine);
    const before = this.#report;
    this.#report = report;
    if (report.state !== before.state || report.remoteState !== before.remoteState) {
      this.#options.onReport(report);
    }
  }
}

function reportOf({ state, diagnostic, remote }: BfdMachine): BfdReport {
  return {
    state,
    remoteState: remote.state,
    diagnostic,
    peerControlPlaneIndependent: remote.controlPlaneIndependent,
  };
}
