import assert from "node:assert/strict";
import { test } from "node:test";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import { decodeOpen, type OpenMessage } from "../../../agent-image/agent/bgp/codec/open.js";
import {
  initialMachine,
  type SessionAction,
  type SessionEvent,
  type SessionMachine,
  transition,
} from "../../../agent-image/agent/bgp/session/session-machine.js";
import { hex } from "./bytes.js";
import { frrOpen, gobgpOpen } from "./captured.js";

const config = { localAsn: 65001, peerAsn: 65001, routerId: "10.0.7.11", holdTime: 9, restarted: false };
const open = decodeOpen(frrOpen);
const keepalive = { kind: "message", message: { kind: "keepalive" } } as const;

interface Run {
  readonly machine: SessionMachine;
  /** Of the last event. */
  readonly actions: readonly SessionAction[];
}

function run(events: readonly SessionEvent[], options: { from?: SessionMachine; now?: number } = {}): Run {
  return events.reduce<Run>(({ machine }, event) => transition(machine, event, { config, now: options.now ?? 0 }), {
    machine: options.from ?? initialMachine,
    actions: [],
  });
}

const toOpenSent: readonly SessionEvent[] = [{ kind: "start" }, { kind: "connected" }];
const toOpenConfirm: readonly SessionEvent[] = [...toOpenSent, { kind: "message", message: open }];
const toEstablished: readonly SessionEvent[] = [...toOpenConfirm, keepalive];
const established = run(toEstablished).machine;

function kinds(actions: readonly SessionAction[]): string[] {
  return actions.map((action) => ("timer" in action ? `${action.kind} ${action.timer}` : action.kind));
}

function notificationOf({ actions }: Run): string {
  const sent = actions.find((action) => action.kind === "send-notification");
  return sent === undefined
    ? "none"
    : `${sent.errorCode.code}/${sent.errorCode.subcode} ${sent.data.toString("hex")}`.trim();
}

test("the way to Established, with what happens at each step (RFC 4271 section 8.2.2)", () => {
  const steps: readonly { event: SessionEvent; state: string; actions: readonly string[] }[] = [
    { event: { kind: "start" }, state: "Connect", actions: ["connect", "start-timer connect-retry"] },
    {
      event: { kind: "connected" },
      state: "OpenSent",
      actions: ["stop-timer connect-retry", "send-open", "start-timer hold"],
    },
    {
      event: { kind: "message", message: open },
      state: "OpenConfirm",
      actions: ["negotiated", "send-keepalive", "start-timer keepalive", "start-timer hold"],
    },
    { event: keepalive, state: "Established", actions: ["start-timer hold", "established"] },
    { event: keepalive, state: "Established", actions: ["start-timer hold"] },
    {
      event: { kind: "timer-expired", timer: "keepalive" },
      state: "Established",
      actions: ["send-keepalive", "start-timer keepalive"],
    },
  ];
  let machine = initialMachine;
  for (const { event, state, actions } of steps) {
    const result = transition(machine, event, { config, now: 0 });
    assert.equal(result.machine.state, state);
    assert.deepEqual(kinds(result.actions), actions);
    machine = result.machine;
  }
});

test("the smaller hold time counts, keepalives come three times in it, and before the OPEN it is 240 s", () => {
  const timers = (events: readonly SessionEvent[]) =>
    run(events).actions.flatMap((action) =>
      action.kind === "start-timer" ? [`${action.timer} ${action.milliseconds}`] : [],
    );
  assert.deepEqual(timers(toOpenSent), ["hold 240000"]);
  assert.deepEqual(timers(toOpenConfirm), ["keepalive 3000", "hold 9000"]);
  const patient = decodeOpen(gobgpOpen);
  assert.deepEqual(timers([...toOpenSent, { kind: "message", message: patient }]), ["keepalive 3000", "hold 9000"]);
  const silent: OpenMessage = { ...open, holdTime: 0 };
  assert.deepEqual(timers([...toOpenSent, { kind: "message", message: silent }]), [], "0: no timers");
});

test("our OPEN says nothing of a restart at first, and that forwarding went on when it comes back", () => {
  const restartOf = (result: Run) => {
    const sent = result.actions.find((action) => action.kind === "send-open");
    return sent?.open.capabilities.find(({ kind }) => kind === "graceful-restart");
  };
  const restart = (restarted: boolean, forwardingPreserved: boolean) => ({
    kind: "graceful-restart",
    restart: { restarted, notification: true, time: 120, families: [{ afi: 25, safi: 70, forwardingPreserved }] },
  });
  assert.deepEqual(restartOf(run(toOpenSent)), restart(false, false));
  const back: SessionEvent[] = [
    { kind: "connection-lost", reason: "reset" },
    { kind: "timer-expired", timer: "idle-hold" },
    { kind: "connected" },
  ];
  assert.deepEqual(restartOf(run(back, { from: established })), restart(false, true));
  const afterRestart = transition(
    run([{ kind: "start" }]).machine,
    { kind: "connected" },
    {
      config: { ...config, restarted: true },
      now: 0,
    },
  );
  assert.deepEqual(restartOf(afterRestart), restart(true, true));
});

const refusedOpens: readonly { readonly name: string; readonly open: OpenMessage; readonly answer: string }[] = [
  { name: "another AS", open: { ...open, as: 65002 }, answer: "2/2" },
  { name: "AS 0 (RFC 7607)", open: { ...open, as: 0 }, answer: "2/2" },
  { name: "identifier 0 (RFC 6286)", open: { ...open, bgpIdentifier: "0.0.0.0" }, answer: "2/3" },
  { name: "our own identifier", open: { ...open, bgpIdentifier: "10.0.7.11" }, answer: "2/3" },
  { name: "hold time 2", open: { ...open, holdTime: 2 }, answer: "2/6" },
  {
    name: "no EVPN (RFC 5492 section 3)",
    open: { ...open, capabilities: [{ kind: "multiprotocol", family: { afi: 1, safi: 1 } }] },
    answer: "2/7 010400190046",
  },
];

for (const { name, open: refused, answer } of refusedOpens) {
  test(`an OPEN is answered with a NOTIFICATION: ${name}`, () => {
    const result = run([...toOpenSent, { kind: "message", message: refused }]);
    assert.equal(notificationOf(result), answer);
    assert.equal(result.machine.state, "Idle");
    assert.ok(kinds(result.actions).includes("start-timer idle-hold"));
  });
}

test("a peer that refuses our capabilities is offered the same again, later each time: without EVPN there is nothing to say", () => {
  const offered = (result: Run) =>
    result.actions.flatMap((action) => (action.kind === "send-open" ? [action.open] : []));
  const again: readonly SessionEvent[] = [{ kind: "timer-expired", timer: "idle-hold" }, { kind: "connected" }];
  for (const [subcode, data] of [
    // RFC 5492 section 3: an old peer, and one that lacks EVPN.
    [4, ""],
    [7, "010400190046"],
  ] as const) {
    const refusal: SessionEvent = {
      kind: "message",
      message: { kind: "notification", errorCode: { code: 2, subcode }, data: hex(data) },
    };
    const [first] = offered(run(toOpenSent));
    const refused = run([...toOpenSent, refusal]);
    assert.deepEqual(refused.actions.at(-1), { kind: "start-timer", timer: "idle-hold", milliseconds: 1000 });
    const second = run(again, { from: refused.machine });
    assert.deepEqual(offered(second), [first]);
    const refusedAgain = run([refusal], { from: second.machine });
    assert.deepEqual(refusedAgain.actions.at(-1), { kind: "start-timer", timer: "idle-hold", milliseconds: 2000 });
  }
});

test("our OPEN offers what this speaker carries out, and neither route target constraint (RFC 4684) nor ADD-PATH (RFC 7911)", () => {
  const [sent] = run(toOpenSent).actions.filter((action) => action.kind === "send-open");
  assert.deepEqual(
    sent?.open.capabilities.map((capability) =>
      capability.kind === "multiprotocol"
        ? `AFI ${capability.family.afi} SAFI ${capability.family.safi}`
        : capability.kind,
    ),
    [
      "AFI 25 SAFI 70",
      "route-refresh",
      "enhanced-route-refresh",
      "extended-message",
      "graceful-restart",
      "long-lived-graceful-restart",
      "four-octet-as",
    ],
  );
});

test("messages above 4096 bytes are for peers that offered them (RFC 8654 section 4)", () => {
  const maximumOf = (peer: OpenMessage) =>
    run([...toOpenSent, { kind: "message", message: peer }]).machine.negotiated?.maximumMessageLength;
  assert.equal(maximumOf(open), 65535);
  const capabilities = open.capabilities.filter(({ kind }) => kind !== "extended-message");
  assert.equal(maximumOf({ ...open, capabilities }), 4096);
});

test("a message that has no place in a state is an FSM error (RFC 6608)", () => {
  const again: SessionEvent = { kind: "message", message: open };
  assert.equal(notificationOf(run([...toOpenSent, keepalive])), "5/1");
  assert.equal(notificationOf(run([...toOpenConfirm, again])), "5/2");
  assert.equal(notificationOf(run([again], { from: established })), "5/3");
});

test("a peer that is silent for the hold time is told so, and its routes are kept for a while", () => {
  const result = run([{ kind: "timer-expired", timer: "hold" }], { from: established });
  assert.equal(notificationOf(result), "4/0");
  assert.deepEqual(
    result.actions.filter(({ kind }) => kind === "lost"),
    [{ kind: "lost", keepRoutes: true }],
  );
});

test("routes outlive every goodbye of the peer but a Hard Reset (RFC 8538)", () => {
  const lost = (code: number, subcode: number) =>
    run([{ kind: "message", message: { kind: "notification", errorCode: { code, subcode }, data: hex("") } }], {
      from: established,
    }).actions.filter(({ kind }) => kind === "lost" || kind === "send-notification");
  assert.deepEqual(lost(6, 3), [{ kind: "lost", keepRoutes: true }]);
  assert.deepEqual(lost(6, 9), [{ kind: "lost", keepRoutes: false }]);
});

test("a session that stood for a hold time is tried again at once; one that did not waits longer each time", () => {
  const wait = (result: Run) =>
    result.actions.flatMap((action) => (action.kind === "start-timer" ? [action.milliseconds] : []));
  const lost: SessionEvent = { kind: "connection-lost", reason: "reset" };
  assert.deepEqual(wait(run([lost], { from: established, now: 9000 })), [0]);
  assert.deepEqual(wait(run([lost], { from: established, now: 8999 })), [1000]);
  // Without a hold time ours counts: else a peer that ends each session at once would be tried again without a pause.
  const timeless = run([...toOpenSent, { kind: "message", message: { ...open, holdTime: 0 } }, keepalive]).machine;
  assert.deepEqual(wait(run([lost], { from: timeless, now: 9000 })), [0]);
  assert.deepEqual(wait(run([lost], { from: timeless, now: 8999 })), [1000]);
  const rejected: SessionEvent[] = [
    { kind: "start" },
    { kind: "connected" },
    { kind: "message", message: { kind: "notification", errorCode: { code: 6, subcode: 5 }, data: hex("") } },
  ];
  let machine = initialMachine;
  const waits: number[] = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const result = run(rejected, { from: machine });
    waits.push(...wait(result));
    machine = result.machine;
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000]);
});

test("a peer that does not answer: Active while waiting, Connect while trying", () => {
  const refused = run([{ kind: "start" }, { kind: "connection-lost", reason: "connect ECONNREFUSED" }]);
  assert.equal(refused.machine.state, "Active");
  assert.deepEqual(refused.actions.at(-1), { kind: "start-timer", timer: "connect-retry", milliseconds: 1000 });
  assert.deepEqual(
    refused.actions.filter(({ kind }) => kind === "report"),
    [{ kind: "report", error: "connect ECONNREFUSED" }],
  );
  const again = run([{ kind: "timer-expired", timer: "connect-retry" }], { from: refused.machine });
  assert.equal(again.machine.state, "Connect");
  const timeout = run([{ kind: "timer-expired", timer: "connect-retry" }], { from: again.machine });
  assert.equal(timeout.machine.state, "Active");
  assert.ok(kinds(timeout.actions).includes("disconnect"), "the attempt is given up");
});

test("stop says goodbye only when told to, from every state", () => {
  for (const events of [[], [{ kind: "start" } as const], toOpenSent, toOpenConfirm, toEstablished]) {
    const silent = run([...events, { kind: "stop", farewell: undefined }]);
    assert.equal(silent.machine.state, "Idle");
    assert.equal(notificationOf(silent), "none");
    assert.ok(!kinds(silent.actions).some((action) => action.startsWith("start-timer")));
    const told = run([...events, { kind: "stop", farewell: { errorCode: { code: 6, subcode: 2 }, data: hex("") } }]);
    // FRR's OPEN has the N bit.
    const wrapped = events.length > 2 ? "6/9 0602" : "6/2";
    assert.equal(notificationOf(told), events.length < 2 ? "none" : wrapped);
  }
});

test("what is meant to last goes out as a Hard Reset to a peer with the N bit, and as it is to others (RFC 8538)", () => {
  const plain: readonly (readonly [code: number, subcode: number, data: string])[] = [
    [6, 1, "001946 00000005"],
    [6, 2, "02 6869"],
    [6, 3, ""],
    [6, 6, ""],
    [3, 1, "0102"],
    [4, 0, ""],
  ];
  const wrapped: Readonly<Record<string, string>> = {
    "6/1": "6/9 060100194600000005",
    "6/2": "6/9 0602026869",
    "6/3": "6/9 0603",
    "6/6": "6/6",
    "3/1": "3/1 0102",
    "4/0": "4/0",
  };
  const to = (peerOpen: OpenMessage) => run([...toOpenSent, { kind: "message", message: peerOpen }, keepalive]).machine;
  for (const [code, subcode, text] of plain) {
    const farewell = { errorCode: { code, subcode }, data: hex(text) };
    const error = new BgpError(farewell.errorCode, "a fault", farewell.data);
    const asItIs = `${code}/${subcode} ${farewell.data.toString("hex")}`.trim();
    for (const event of [{ kind: "stop", farewell } as const, { kind: "fault", error } as const]) {
      assert.equal(notificationOf(run([event], { from: to(open) })), wrapped[`${code}/${subcode}`]);
      assert.equal(notificationOf(run([event], { from: to(decodeOpen(gobgpOpen)) })), asItIs);
      assert.equal(notificationOf(run([...toOpenSent, event])), asItIs, "before the peer's OPEN");
    }
  }
});
