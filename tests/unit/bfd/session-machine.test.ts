import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bfdStates, type ControlPacket } from "../../../agent-image/agent/bfd/control-packet.js";
import {
  type BfdEvent,
  type BfdMachine,
  detectionTime,
  initialMachine,
  packetOf,
  transition,
  transmissionInterval,
} from "../../../agent-image/agent/bfd/session-machine.js";
import { jitteredInterval } from "../../../agent-image/agent/bfd/timing.js";
import type { BfdState } from "../../../model/index.js";

const parameters = { minTxInterval: 300, minRxInterval: 400, multiplier: 3 };
const started = initialMachine(0x11, parameters);

/** Of a peer that sends every 200 ms, takes a packet every 250 ms and is given up after 5. */
function packet(state: BfdState, rest: Partial<ControlPacket> = {}): ControlPacket {
  return {
    diagnostic: 0,
    state,
    poll: false,
    final: false,
    controlPlaneIndependent: false,
    demand: false,
    detectMultiplier: 5,
    myDiscriminator: 0x22,
    yourDiscriminator: 0x11,
    desiredMinTxInterval: 200_000,
    requiredMinRxInterval: 250_000,
    requiredMinEchoRxInterval: 0,
    ...rest,
  };
}

function received(state: BfdState, rest: Partial<ControlPacket> = {}): BfdEvent {
  return { kind: "received", packet: packet(state, rest) };
}

function after(machine: BfdMachine, ...events: readonly BfdEvent[]): BfdMachine {
  return events.reduce((before, event) => transition(before, event).machine, machine);
}

const inInit = after(started, received("Down"));
const polling = after(inInit, received("Init"));
const inUp = after(polling, received("Up", { final: true }));
const shutDown = after(inUp, { kind: "shut-down" });

/** What each state makes of each state that comes (RFC 5880 sections 6.2 and 6.8.6), with the diagnostic of section 4.1. */
const table: readonly (readonly [BfdMachine, Readonly<Record<BfdState, readonly [BfdState, number]>>])[] = [
  [started, { AdminDown: ["Down", 0], Down: ["Init", 0], Init: ["Up", 0], Up: ["Down", 0] }],
  [inInit, { AdminDown: ["Down", 3], Down: ["Init", 0], Init: ["Up", 0], Up: ["Up", 0] }],
  [inUp, { AdminDown: ["Down", 3], Down: ["Down", 3], Init: ["Up", 0], Up: ["Up", 0] }],
  [shutDown, { AdminDown: ["AdminDown", 7], Down: ["AdminDown", 7], Init: ["AdminDown", 7], Up: ["AdminDown", 7] }],
];

describe("the state machine", () => {
  for (const [machine, answers] of table) {
    for (const remote of bfdStates) {
      const [state, diagnostic] = answers[remote];
      test(`${machine.state} hears ${remote}: ${state}`, () => {
        const next = after(machine, received(remote));
        assert.deepEqual([next.state, next.diagnostic], [state, diagnostic]);
      });
    }
  }

  test("a detection time without a packet: Init and Up go Down with diagnostic 1, and the peer is forgotten", () => {
    for (const machine of [inInit, inUp]) {
      const next = after(machine, { kind: "detection-time-expired" });
      assert.deepEqual([next.state, next.diagnostic, packetOf(next).yourDiscriminator], ["Down", 1, 0]);
    }
    const down = after(inUp, received("Down"), { kind: "detection-time-expired" });
    assert.deepEqual([down.state, down.diagnostic, packetOf(down).yourDiscriminator], ["Down", 3, 0]);
  });

  test("what is Up again has no reason to say any more", () => {
    const again = after(inUp, { kind: "detection-time-expired" }, received("Down"), received("Up"));
    assert.deepEqual([again.state, again.diagnostic], ["Up", 0]);
  });

  test("packets that are thrown away in AdminDown do not begin a detection time, nor are they answered", () => {
    assert.deepEqual(
      [transition(shutDown, received("Up", { poll: true })), transition(inUp, received("Up", { poll: true }))].map(
        ({ answerPoll, heard }) => [answerPoll, heard],
      ),
      [
        [false, false],
        [true, true],
      ],
    );
  });
});

describe("what is sent", () => {
  test("not Up: at most once a second, whatever is configured", () => {
    for (const machine of [started, inInit, shutDown]) {
      assert.equal(packetOf(machine).desiredMinTxInterval, 1_000_000, machine.state);
      assert.equal(transmissionInterval(machine), 1_000_000, machine.state);
    }
    const slow = initialMachine(0x11, { ...parameters, minTxInterval: 2000 });
    assert.equal(packetOf(slow).desiredMinTxInterval, 2_000_000);
  });

  test("Up: our intervals, the peer's discriminator, and a Poll until the peer has confirmed (section 6.8.3)", () => {
    const { desiredMinTxInterval, requiredMinRxInterval, yourDiscriminator, poll } = packetOf(polling);
    assert.deepEqual(
      [desiredMinTxInterval, requiredMinRxInterval, yourDiscriminator, poll],
      [300_000, 400_000, 0x22, true],
    );
    assert.equal(packetOf(inUp).poll, false);
    assert.equal(packetOf(after(polling, received("Up"))).poll, true, "no F, no end");
  });

  test("the slower of what we want to send and the peer wants to receive (section 6.8.2)", () => {
    assert.equal(transmissionInterval(inUp), 300_000);
    assert.equal(transmissionInterval(after(inUp, received("Up", { requiredMinRxInterval: 700_000 }))), 700_000);
  });

  test("nothing periodic to who wants none: interval zero, or demand mode with both Up (section 6.8.7)", () => {
    assert.equal(transmissionInterval(after(inUp, received("Up", { requiredMinRxInterval: 0 }))), undefined);
    assert.equal(transmissionInterval(after(inUp, received("Up", { demand: true }))), undefined);
    assert.equal(transmissionInterval(after(polling, received("Up", { demand: true }))), 300_000, "a Poll goes on");
    assert.equal(transmissionInterval(after(inInit, received("Down", { demand: true }))), 1_000_000);
  });
});

describe("the detection time (section 6.8.4)", () => {
  test("the peer's multiplier times the slower of what we want to receive and the peer wants to send", () => {
    assert.equal(detectionTime(inUp), 5 * 400_000);
    assert.equal(detectionTime(after(inUp, received("Up", { desiredMinTxInterval: 900_000 }))), 5 * 900_000);
  });

  test("there is none before the first packet", () => {
    assert.equal(detectionTime(started), undefined);
  });
});

describe("a change of parameters while Up (section 6.8.3)", () => {
  const configured = (change: Partial<typeof parameters>): BfdEvent => ({
    kind: "configure",
    parameters: { ...parameters, ...change },
  });

  test("sending less often: said with P, done when F has come", () => {
    const changed = after(inUp, configured({ minTxInterval: 1000 }));
    assert.deepEqual([packetOf(changed).poll, packetOf(changed).desiredMinTxInterval], [true, 1_000_000]);
    assert.equal(transmissionInterval(changed), 300_000);
    const confirmed = after(changed, received("Up", { final: true }));
    assert.deepEqual([packetOf(confirmed).poll, transmissionInterval(confirmed)], [false, 1_000_000]);
  });

  test("sending more often: said with P, done at once", () => {
    assert.equal(transmissionInterval(after(inUp, configured({ minTxInterval: 260 }))), 260_000);
  });

  test("expecting more packets: only when F has come; expecting fewer: at once", () => {
    const faster = after(inUp, configured({ minRxInterval: 250 }));
    assert.deepEqual([packetOf(faster).requiredMinRxInterval, detectionTime(faster)], [250_000, 5 * 400_000]);
    assert.equal(detectionTime(after(faster, received("Up", { final: true }))), 5 * 250_000);
    assert.equal(detectionTime(after(inUp, configured({ minRxInterval: 800 }))), 5 * 800_000);
  });

  test("the multiplier alone needs no Poll", () => {
    const changed = after(inUp, configured({ multiplier: 9 }));
    assert.deepEqual([packetOf(changed).detectMultiplier, packetOf(changed).poll], [9, false]);
  });

  test("one that comes during a Poll waits for its end: F must not confirm what the peer has not seen", () => {
    const waiting = after(inUp, configured({ minTxInterval: 1000 }), configured({ minTxInterval: 2000 }));
    assert.equal(packetOf(waiting).desiredMinTxInterval, 1_000_000);
    const second = after(waiting, received("Up", { final: true }));
    assert.deepEqual(
      [packetOf(second).desiredMinTxInterval, packetOf(second).poll, transmissionInterval(second)],
      [2_000_000, true, 1_000_000],
    );
    assert.equal(transmissionInterval(after(second, received("Up", { final: true }))), 2_000_000);
  });

  test("an end of the session ends the Poll, and what waited counts", () => {
    const down = after(
      inUp,
      configured({ minTxInterval: 1000 }),
      configured({ minTxInterval: 2000 }),
      received("Down"),
    );
    assert.deepEqual([packetOf(down).poll, packetOf(down).desiredMinTxInterval], [false, 2_000_000]);
  });

  test("not Up: it counts at once, without a Poll", () => {
    const changed = after(started, configured({ minTxInterval: 2000, minRxInterval: 700 }));
    const { poll, requiredMinRxInterval } = packetOf(changed);
    assert.deepEqual([poll, requiredMinRxInterval, transmissionInterval(changed)], [false, 700_000, 2_000_000]);
  });
});

test("jitter takes up to a quarter away; with a multiplier of 1 at least a tenth (section 6.8.7)", () => {
  const bounds = (multiplier: number) => [0, 1].map((random) => jitteredInterval(1_000_000, multiplier, random));
  assert.deepEqual(bounds(3), [750_000, 1_000_000]);
  assert.deepEqual(bounds(1), [750_000, 900_000]);
});
