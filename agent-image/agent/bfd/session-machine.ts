import type { BfdState } from "../../../model/index.js";
import { type ControlPacket, diagnostics } from "./control-packet.js";
import type { BfdParameters } from "./parameters.js";

/**
 * The state of one session (RFC 5880 section 6.8.1) in asynchronous mode and in the active role, without echo and without
 * authentication, as a pure function. Intervals are in microseconds, as on the wire.
 */
export interface BfdMachine {
  readonly state: BfdState;
  /** Why the state is what it is. */
  readonly diagnostic: number;
  readonly discriminator: number;
  readonly parameters: BfdParameters;
  /** Parameters that wait for the end of the Poll Sequence that is under way. */
  readonly next: BfdParameters | undefined;
  /** We send P and wait for F. */
  readonly polling: boolean;
  /** By which we send now: it rises only when the peer has confirmed (section 6.8.3). */
  readonly sendingInterval: number;
  /** By which we miss packets now: it falls only when the peer has confirmed (section 6.8.3). */
  readonly expectedInterval: number;
  readonly remote: RemoteEnd;
}

/** What the peer said last. */
export interface RemoteEnd {
  /** 0: not known, or not heard of for a detection time. */
  readonly discriminator: number;
  readonly state: BfdState;
  readonly minRxInterval: number;
  readonly minTxInterval: number;
  /** 0: nothing was received yet. */
  readonly multiplier: number;
  readonly demand: boolean;
  readonly controlPlaneIndependent: boolean;
}

export type BfdEvent =
  /** One that was found to be for this session. */
  | { readonly kind: "received"; readonly packet: ControlPacket }
  /** A detection time has passed without a packet. */
  | { readonly kind: "detection-time-expired" }
  | { readonly kind: "configure"; readonly parameters: BfdParameters }
  | { readonly kind: "shut-down" };

export interface BfdTransition {
  readonly machine: BfdMachine;
  /** A packet with F has to leave at once, whatever the interval (section 6.8.7). */
  readonly answerPoll: boolean;
  /** The detection time begins anew. */
  readonly heard: boolean;
}

const millisecond = 1000;

/** Section 6.8.3: the least while the session is not Up, so that a peer that is not there costs little. */
const slowInterval = 1_000_000;

/** @param discriminator not 0, and of no other session on this system (section 6.8.1) */
export function initialMachine(discriminator: number, parameters: BfdParameters): BfdMachine {
  const machine: BfdMachine = {
    state: "Down",
    diagnostic: diagnostics.none,
    discriminator,
    parameters,
    next: undefined,
    polling: false,
    sendingInterval: 0,
    expectedInterval: 0,
    remote: {
      discriminator: 0,
      state: "Down",
      // Section 6.8.1: 1 until the peer has said something else.
      minRxInterval: 1,
      minTxInterval: 0,
      multiplier: 0,
      demand: false,
      controlPlaneIndependent: false,
    },
  };
  return settled(machine);
}

export function transition(machine: BfdMachine, event: BfdEvent): BfdTransition {
  switch (event.kind) {
    case "received":
      return receive(machine, event.packet);
    case "detection-time-expired":
      return silently(expire(machine));
    case "configure":
      return silently(configure(machine, event.parameters));
    case "shut-down":
      // Section 6.8.16
      return silently(enter(machine, "AdminDown", diagnostics.administrativelyDown));
  }
}

/** What we say now, without P and F of an answer (section 6.8.7). */
export function packetOf(machine: BfdMachine): ControlPacket {
  const { parameters, remote } = machine;
  return {
    diagnostic: machine.diagnostic,
    state: machine.state,
    poll: machine.polling,
    final: false,
    // It runs in the agent's process, and ends with BGP.
    controlPlaneIndependent: false,
    demand: false,
    detectMultiplier: parameters.multiplier,
    myDiscriminator: machine.discriminator,
    yourDiscriminator: remote.discriminator,
    desiredMinTxInterval: desiredMinTxInterval(machine),
    requiredMinRxInterval: parameters.minRxInterval * millisecond,
    // No echo packets are looped back.
    requiredMinEchoRxInterval: 0,
  };
}

/** Microseconds between our periodic packets before jitter; undefined where there are none (sections 6.8.2 and 6.8.7). */
export function transmissionInterval({ state, polling, sendingInterval, remote }: BfdMachine): number | undefined {
  const demanded = remote.demand && state === "Up" && remote.state === "Up" && !polling;
  return remote.minRxInterval === 0 || demanded ? undefined : Math.max(sendingInterval, remote.minRxInterval);
}

/** Microseconds without a packet after which the peer counts as gone (section 6.8.4); undefined before the first packet. */
export function detectionTime({ expectedInterval, remote }: BfdMachine): number | undefined {
  return remote.multiplier === 0 ? undefined : remote.multiplier * Math.max(expectedInterval, remote.minTxInterval);
}

function desiredMinTxInterval({ state, parameters }: BfdMachine): number {
  const wanted = parameters.minTxInterval * millisecond;
  return state === "Up" ? wanted : Math.max(wanted, slowInterval);
}

/** Section 6.8.6, from where the session has been found. */
function receive(before: BfdMachine, packet: ControlPacket): BfdTransition {
  const known: BfdMachine = {
    ...before,
    remote: {
      discriminator: packet.myDiscriminator,
      state: packet.state,
      minRxInterval: packet.requiredMinRxInterval,
      minTxInterval: packet.desiredMinTxInterval,
      multiplier: packet.detectMultiplier,
      demand: packet.demand,
      controlPlaneIndependent: packet.controlPlaneIndependent,
    },
  };
  const machine = packet.final && known.polling ? endPoll(known) : known;
  if (machine.state === "AdminDown") {
    return { machine, answerPoll: false, heard: false };
  }
  return { machine: follow(machine, packet.state), answerPoll: packet.poll, heard: true };
}

/** The state machine of sections 6.2 and 6.8.6: what the peer's state makes of ours. */
function follow(machine: BfdMachine, remote: BfdState): BfdMachine {
  const down = () => enter(machine, "Down", diagnostics.neighborSignaledDown);
  const up = () => enter(machine, "Up", diagnostics.none);
  switch (machine.state) {
    case "Down":
      if (remote === "Down") {
        return enter(machine, "Init", machine.diagnostic);
      }
      return remote === "Init" ? up() : machine;
    case "Init":
      if (remote === "AdminDown") {
        return down();
      }
      return remote === "Down" ? machine : up();
    case "Up":
      return remote === "AdminDown" || remote === "Down" ? down() : machine;
    case "AdminDown":
      return machine;
  }
}

function expire(machine: BfdMachine): BfdMachine {
  // Section 6.8.1: who comes back after that long may be another system, or the same with another discriminator.
  const forgotten = { ...machine, remote: { ...machine.remote, discriminator: 0 } };
  return machine.state === "Init" || machine.state === "Up"
    ? enter(forgotten, "Down", diagnostics.detectionTimeExpired)
    : forgotten;
}

function enter(machine: BfdMachine, state: BfdState, diagnostic: number): BfdMachine {
  const isUp = state === "Up";
  // With the session goes the Poll Sequence, and the reason to wait for it.
  const entered = {
    ...machine,
    state,
    diagnostic,
    parameters: machine.next ?? machine.parameters,
    next: undefined,
    // The interval goes from the slow one to that of an Up session, which the peer has to confirm (section 6.8.3).
    polling: isUp,
  };
  return isUp ? { ...entered, ...unconfirmedIntervals(machine, entered) } : settled(entered);
}

function configure(machine: BfdMachine, parameters: BfdParameters): BfdMachine {
  if (machine.state !== "Up") {
    return settled({ ...machine, parameters });
  }
  // An F may answer the P before this one: two Poll Sequences must not overlap (section 6.5).
  return machine.polling ? { ...machine, next: parameters } : beginPoll(machine, parameters);
}

function beginPoll(machine: BfdMachine, parameters: BfdParameters): BfdMachine {
  const { minTxInterval, minRxInterval } = machine.parameters;
  const changed = { ...machine, parameters, next: undefined };
  // The multiplier alone is in force with the next packet (section 6.8.12).
  return minTxInterval === parameters.minTxInterval && minRxInterval === parameters.minRxInterval
    ? changed
    : { ...changed, polling: true, ...unconfirmedIntervals(machine, changed) };
}

function endPoll(machine: BfdMachine): BfdMachine {
  const confirmed = settled({ ...machine, polling: false });
  return machine.next === undefined ? confirmed : beginPoll(confirmed, machine.next);
}

/** Until the peer has confirmed, neither do we send less often than before nor expect more than before (section 6.8.3). */
function unconfirmedIntervals(
  before: BfdMachine,
  after: BfdMachine,
): Pick<BfdMachine, "sendingInterval" | "expectedInterval"> {
  const { sendingInterval, expectedInterval } = settled(after);
  return {
    sendingInterval: Math.min(sendingInterval, before.sendingInterval),
    expectedInterval: Math.max(expectedInterval, before.expectedInterval),
  };
}

/** Both ends know the parameters, or nothing depends on whether they do. */
function settled(machine: BfdMachine): BfdMachine {
  return {
    ...machine,
    sendingInterval: desiredMinTxInterval(machine),
    expectedInterval: machine.parameters.minRxInterval * millisecond,
  };
}

function silently(machine: BfdMachine): BfdTransition {
  return { machine, answerPoll: false, heard: false };
}
