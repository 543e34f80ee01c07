import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../agent-image/agent/bgp/session/clock.js";
import { EvpnSpeaker } from "../../../agent-image/agent/evpn/evpn-speaker.js";
import type { ForwardingState } from "../../../agent-image/agent/evpn/forwarding-state.js";
import { SequenceMemory } from "../../../agent-image/agent/evpn/sequence-memory.js";
import type { SpeakerPlan } from "../../../model/index.js";
import { hex } from "../bgp/bytes.js";
import { plan228, plan240 } from "./plan.js";
import { reflectorOpen, type ScriptedPeers } from "./scripted-peer.js";
import {
  accept,
  endOfRib,
  established,
  messageType,
  openWithoutRestart,
  otherNodeClaims,
  type Setting,
  sent,
  setting,
} from "./speaker-setting.js";

const { open, update, notification, keepalive, routeRefresh } = messageType;

/** A Type-3 of the leaf 10.0.7.19 and its gateway's MAC, as FRR 8.4.4 writes them. */
const leafFlood = hex(`
  0000 004e
  900e001c 0019 46 04 0a000713 00  03 11 0001 0a000713 0002 00000000 20 0a000713
  400101 00  50020000  400504 00000064
  c01010 030c000000000008 0002fde9000000e4  c01609 00 06 0000e4 0a000713`);
const leafGateway = hex(`
  0000 0052
  900e002c 0019 46 04 0a000713 00
    02 21 0001 0a000713 0002 00000000000000000000 00000000 30 0200000000fe 00 0000e4
  400101 00  50020000  400504 00000064
  c01010 030c000000000008 0002fde9000000e4`);
const leafState = {
  flood: ["10.0.7.19"],
  hosts: [{ mac: "02:00:00:00:00:fe", vtep: "10.0.7.19" }],
  neighbours: [],
};

/** Our own messages, byte by byte. */
const ownType3 = hex(`
  0000 004c
  800e1c 0019 46 04 0a00070b 00  03 11 0001 0a00070b 00e4 00000000 20 0a00070b
  400101 00  400200  400504 00000064
  c01010 030c000000000008 0002fde9000000e4  c01609 00 06 0000e4 0a00070b`);
const ownMac = hex(`
  0000 0050
  800e2c 0019 46 04 0a00070b 00
    02 21 0001 0a00070b 00e4 00000000000000000000 00000000 30 020000000011 00 0000e4
  400101 00  400200  400504 00000064
  c01010 030c000000000008 0002fde9000000e4`);
const ownAddress = hex(`
  0000 0054
  800e30 0019 46 04 0a00070b 00
    02 25 0001 0a00070b 00e4 00000000000000000000 00000000 30 020000000011 20 cb00710a 0000e4
  400101 00  400200  400504 00000064
  c01010 030c000000000008 0002fde9000000e4`);
const ownAddressWithdrawn = hex(`
  0000 002d
  800f2a 0019 46
    02 25 0001 0a00070b 00e4 00000000000000000000 00000000 30 020000000011 20 cb00710a 0000e4`);

test("the session comes up and the network is announced: OPEN, Type-3, Type-2; End-of-RIB when all is known", async () => {
  const made = await established({ a: plan228 });
  const { speaker, peers, clock } = made;
  assert.deepEqual(peers.last.target, { local: "10.0.7.11", peer: "10.0.7.19" });
  const ownOpen = hex(
    "04 fde9 0009 0a00070b 25 02 23 0104 00190046 0200 4600 0600 4006 4078 00194600 4707 00194600000000 4104 0000fde9",
  );
  assert.deepEqual(peers.last.take(), sent([open, ownOpen], [update, ownType3], [update, ownMac]));
  assert.deepEqual(
    speaker.sessions("a").map(({ peer, state }) => [peer, state]),
    [["10.0.7.19", "Established"]],
  );

  speaker.setAddresses("a", ["203.0.113.10"]);
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), sent([update, ownAddress]));
  speaker.initialStateKnown();
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), sent([update, endOfRib]));
  speaker.initialStateKnown();
  speaker.setAddresses("a", []);
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), sent([update, ownAddressWithdrawn]), "and no second End-of-RIB");
});

test("End-of-RIB waits no longer than ten seconds", async () => {
  const { peers, clock } = await established({ a: plan228 });
  peers.last.take();
  const tick = async (milliseconds: number) => {
    peers.last.send(keepalive, Buffer.alloc(0));
    await clock.advance(milliseconds);
  };
  await tick(5000);
  await tick(4999);
  assert.deepEqual(peers.last.take(), []);
  await tick(1);
  assert.deepEqual(peers.last.take(), sent([update, endOfRib]));
});

test("what peers announce is known after their End-of-RIB, and each change is told once", async () => {
  const { speaker, peers, clock, changed } = await established({ a: plan228 });
  await clock.advance(100);
  changed();
  peers.last.send(update, leafFlood);
  peers.last.send(update, leafGateway);
  await clock.advance(0);
  assert.equal(speaker.forwarding("a"), undefined, "not before the peer has sent everything");
  peers.last.send(update, endOfRib);
  await clock.advance(100);
  assert.deepEqual(speaker.forwarding("a"), leafState);
  assert.ok(changed().includes("a"));
  const withdrawal = hex(`
    0000 0029
    800f26 0019 46 02 21 0001 0a000713 0002 00000000000000000000 00000000 30 0200000000fe 00 000000`);
  peers.last.send(update, withdrawal);
  await clock.advance(100);
  assert.deepEqual(changed(), ["a"]);
  assert.deepEqual(speaker.forwarding("a"), { ...leafState, hosts: [] });
});

for (const [restarted, peerOpen, expected] of [
  [false, openWithoutRestart, leafState],
  [true, openWithoutRestart, undefined],
  [false, reflectorOpen, undefined],
] as const) {
  const peer = peerOpen === reflectorOpen ? "with" : "without";
  test(`no End-of-RIB for 5 s from a peer ${peer} graceful restart, ${restarted ? "after a restart" : "at first"}: ${expected ? "its routes are used" : "still waiting"}`, async () => {
    const { speaker, peers, clock } = setting({ restarted });
    void speaker.setNetworks([{ network: "a", plan: plan228 }]);
    await clock.advance(0);
    peers.last.send(open, peerOpen);
    peers.last.send(keepalive, Buffer.alloc(0));
    peers.last.send(update, leafFlood);
    peers.last.send(update, leafGateway);
    await clock.advance(4900);
    assert.equal(speaker.sessions("a")[0]?.state, "Established");
    assert.equal(speaker.forwarding("a"), undefined);
    await clock.advance(200);
    assert.deepEqual(speaker.forwarding("a"), expected);
  });
}

test("C9: a lost session keeps its routes until the peer has sent them again", async () => {
  const made = await established({ a: plan228 });
  const { speaker, peers, clock } = made;
  for (const body of [leafFlood, leafGateway, endOfRib]) {
    peers.last.send(update, body);
  }
  await clock.advance(8000);
  peers.accepting = false;
  peers.last.close();
  await clock.advance(3000);
  assert.notEqual(speaker.sessions("a")[0]?.state, "Established");
  assert.equal(speaker.sessions("a")[0]?.lastError, "connect ECONNREFUSED");
  assert.deepEqual(speaker.forwarding("a"), leafState);

  peers.accepting = true;
  await clock.advance(5000);
  await accept(made);
  assert.equal(speaker.sessions("a")[0]?.state, "Established");
  const [again] = peers.last.take();
  assert.match(again ?? "", /4006407800194680470700194680000000/, "the OPEN says that forwarding went on");
  assert.deepEqual(speaker.forwarding("a"), leafState);
  peers.last.send(update, leafFlood);
  peers.last.send(update, endOfRib);
  await clock.advance(0);
  assert.deepEqual(speaker.forwarding("a"), { ...leafState, hosts: [] }, "what did not come again is gone");
});

test("C9: a peer that stays away is forgotten after the restart time that it announced, 120 s", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  for (const body of [leafFlood, leafGateway, endOfRib]) {
    peers.last.send(update, body);
  }
  await clock.advance(0);
  peers.accepting = false;
  peers.last.close();
  await clock.advance(119_900);
  assert.deepEqual(speaker.forwarding("a"), leafState);
  await clock.advance(200);
  assert.deepEqual(speaker.forwarding("a"), { flood: [], hosts: [], neighbours: [] });
});

/** Lets a peer live. */
async function pass({ peers, clock }: Setting, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 5) {
    if (!peers.last.closed) peers.last.send(keepalive, Buffer.alloc(0));
    await clock.advance(5000);
  }
}

/** A peer with a restart time of 120 s that has told a Type-3 and a MAC, and is away. */
async function away(): Promise<Setting> {
  const made = await established({ a: plan228 });
  for (const body of [leafFlood, leafGateway, endOfRib]) {
    made.peers.last.send(update, body);
  }
  await made.clock.advance(0);
  made.peers.accepting = false;
  made.peers.last.close();
  return made;
}

async function comeBack(made: Setting): Promise<void> {
  made.peers.accepting = true;
  await made.clock.advance(5000);
  await accept(made);
  assert.equal(made.speaker.sessions("a")[0]?.state, "Established");
}

test("C9: the restart time is for coming back; the routes of a peer that is back stay until its End-of-RIB", async () => {
  const made = await away();
  await made.clock.advance(114_000);
  await comeBack(made);
  await pass(made, 60);
  assert.deepEqual(made.speaker.forwarding("a"), leafState);
  made.peers.last.send(update, leafFlood);
  made.peers.last.send(update, endOfRib);
  await made.clock.advance(0);
  assert.deepEqual(made.speaker.forwarding("a"), { ...leafState, hosts: [] });
});

test("C9: a peer that is back and sends no End-of-RIB is waited for 120 s", async () => {
  const made = await away();
  await made.clock.advance(100_000);
  await comeBack(made);
  await pass(made, 115);
  assert.deepEqual(made.speaker.forwarding("a"), leafState);
  await pass(made, 10);
  assert.deepEqual(made.speaker.forwarding("a"), { flood: [], hosts: [], neighbours: [] });
});

test("C9: sessions that come and go without an End-of-RIB do not keep routes for longer than one loss", async () => {
  const made = await away();
  await made.clock.advance(60_000);
  for (const leaves of [60, 110, 130]) {
    if (leaves > 60) {
      made.peers.last.send(update, leafFlood);
      await pass(made, 30);
      assert.deepEqual(made.speaker.forwarding("a"), leafState, `before ${leaves}`);
      made.peers.accepting = false;
      made.peers.last.close();
      await made.clock.advance(0);
    }
    await comeBack(made);
  }
  // The third loss was after the 120 s: what the peer has sent since then is new, the rest is gone.
  assert.deepEqual(made.speaker.forwarding("a"), { ...leafState, hosts: [] });
});

test("a replay that a restarted peer marks before its End-of-RIB takes nothing away (RFC 7313 section 4)", async () => {
  const made = await away();
  await comeBack(made);
  const { peers, clock, speaker } = made;
  peers.last.send(update, leafFlood);
  peers.last.send(routeRefresh, hex("0019 01 46"));
  peers.last.send(routeRefresh, hex("0019 02 46"));
  await clock.advance(0);
  assert.deepEqual(speaker.forwarding("a"), leafState);
  peers.last.send(update, endOfRib);
  peers.last.send(routeRefresh, hex("0019 01 46"));
  peers.last.send(routeRefresh, hex("0019 02 46"));
  await clock.advance(0);
  assert.deepEqual(speaker.forwarding("a"), { flood: [], hosts: [], neighbours: [] }, "after it, it does");
});

test("a peer that asks for our routes without end gets a few replays, and the whole of the last one", async () => {
  const { peers, clock, speaker } = await established({ a: plan228 });
  speaker.initialStateKnown();
  peers.last.take();
  for (let request = 0; request < 5000; request += 1) {
    peers.last.send(routeRefresh, hex("0019 00 46"));
  }
  await clock.advance(0);
  const messages = peers.last.take();
  const ends = messages.filter((text) => text === "0500190246").length;
  assert.ok(ends < 10, `${ends} replays`);
  assert.deepEqual(
    messages.slice(messages.lastIndexOf("0500190146")),
    sent([routeRefresh, hex("0019 01 46")], [update, ownType3], [update, ownMac], [routeRefresh, hex("0019 02 46")]),
  );
});

test("a peer that takes nothing for eight minutes is left (RFC 9687), however much it says itself", async () => {
  const made = await established({ a: plan228 });
  const { speaker, peers } = made;
  peers.last.stopReading();
  // More than the buffers of a connection in memory hold.
  for (let request = 0; request < 500; request += 1) {
    peers.last.send(routeRefresh, hex("0019 00 46"));
    await made.clock.advance(0);
  }
  await pass(made, 475);
  assert.equal(speaker.sessions("a")[0]?.state, "Established");
  peers.last.send(keepalive, Buffer.alloc(0));
  await made.clock.advance(5000);
  assert.notEqual(speaker.sessions("a")[0]?.state, "Established");
  assert.equal(speaker.sessions("a")[0]?.lastError, "the peer has taken nothing for minutes");
});

test("a message that waits to be read when the hold time is over came in time", async () => {
  const made = await established({ a: plan228 });
  const { speaker, peers, clock } = made;
  // Behind the timer of the hold time, as what lies in a socket while the process is busy.
  clock.schedule(9000, () => peers.last.send(keepalive, Buffer.alloc(0)));
  await clock.advance(9000);
  assert.equal(speaker.sessions("a")[0]?.state, "Established");
  await clock.advance(9000);
  assert.notEqual(speaker.sessions("a")[0]?.state, "Established");
});

test("thousands of faulty routes are a short line of the log, and thousands of such messages one in 10 s", async () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const { peers, clock } = await established(
    { a: plan228 },
    { log: (message, fields) => message === "faulty UPDATE from a peer" && lines.push(fields) },
  );
  // Type-2 routes of length 0.
  const routes = "0200".repeat(1000);
  const faulty = hex(
    `0000 07f3 900e 07d9 0019 46 04 0a000713 00 ${routes} 40010100 50020000 400504 00000064 c0080400010001`,
  );
  const single = hex("0000 001e 900e 000b 0019 46 04 0a000713 00 0200 40010102 50020000 400504 00000064");
  for (let message = 0; message < 100; message += 1) peers.last.send(update, faulty);
  await clock.advance(0);
  const fault =
    "EVPN route of type 2 left out: RD needs 8 bytes but only 0 are left (route-discard, RFC 7606 section 5.4)";
  const identity = { local: "10.0.7.11", peer: "10.0.7.19" };
  assert.deepEqual(lines.splice(0), [{ ...identity, faults: fault }]);
  peers.last.send(keepalive, Buffer.alloc(0));
  await clock.advance(8000);
  peers.last.send(keepalive, Buffer.alloc(0));
  await clock.advance(2000);
  peers.last.send(update, single);
  await clock.advance(0);
  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.untold, 99);
});

const nothing = { flood: [], hosts: [], neighbours: [] };

/** What stood in the kernel before stays as long as `forwarding` says nothing. */
async function assertHeld({ speaker, clock }: Setting, milliseconds: number, network = "a"): Promise<void> {
  await clock.advance(milliseconds);
  assert.equal(speaker.forwarding(network), undefined);
}

for (const [name, restarted, silence] of [
  ["refuse the connection, after a boot", false, { accepting: false }],
  ["refuse the connection, after a restart", true, { accepting: false }],
  ["do not answer the connection attempt", true, { answering: false }],
  ["accept the connection and say nothing", true, {}],
] as const) {
  test(`C9: peers that ${name}: what stood in the kernel stays for 120 s, and not for ever`, async () => {
    const made = setting({ restarted });
    Object.assign(made.peers, silence);
    void made.speaker.setNetworks([{ network: "a", plan: plan228 }]);
    await assertHeld(made, 119_900);
    made.changed();
    await made.clock.advance(200);
    assert.deepEqual(made.speaker.forwarding("a"), nothing);
    assert.deepEqual(made.changed(), ["a"], "the kernel is told");
  });
}

test("C9: the 120 s are those of each network, from when it is declared", async () => {
  const made = setting();
  made.peers.accepting = false;
  void made.speaker.setNetworks([{ network: "a", plan: plan228 }]);
  await assertHeld(made, 60_000);
  const both = [
    { network: "a", plan: plan228 },
    { network: "b", plan: plan240 },
  ];
  void made.speaker.setNetworks(both);
  await made.clock.advance(60_100);
  assert.deepEqual(made.speaker.forwarding("a"), nothing);
  await assertHeld(made, 59_700, "b");
  await made.clock.advance(300);
  assert.deepEqual(made.speaker.forwarding("b"), nothing);

  void made.speaker.setNetworks([]);
  void made.speaker.setNetworks(both);
  await assertHeld(made, 119_900);
});

test("C9: peers that are exchanged again and again do not prolong the 120 s", async () => {
  const made = setting();
  made.peers.accepting = false;
  for (const peer of ["10.0.7.19", "10.0.7.20", "10.0.7.21"]) {
    void made.speaker.setNetworks([{ network: "a", plan: { ...plan228, peers: [peer] } }]);
    await assertHeld(made, 39_900);
  }
  await made.clock.advance(400);
  assert.deepEqual(made.speaker.forwarding("a"), nothing);
});

test("C9: peers that take the place of known ones and never answer: the routes stay for 120 s", async () => {
  const made = await established({ a: plan228 });
  for (const body of [leafFlood, leafGateway, endOfRib]) {
    made.peers.last.send(update, body);
  }
  await made.clock.advance(100_000);
  made.peers.accepting = false;
  void made.speaker.setNetworks([{ network: "a", plan: { ...plan228, peers: ["10.0.7.21"] } }]);
  await assertHeld(made, 119_900);
  await made.clock.advance(200);
  assert.deepEqual(made.speaker.forwarding("a"), nothing);
});

/** After a restart the peer refuses for so many milliseconds, and then takes the next attempt. */
async function establishedAfter(milliseconds: number, expected: ForwardingState | undefined): Promise<Setting> {
  const made = setting({ restarted: true });
  const { speaker, peers, clock } = made;
  peers.accepting = false;
  void speaker.setNetworks([{ network: "a", plan: plan228 }]);
  await clock.advance(milliseconds);
  assert.deepEqual(speaker.forwarding("a"), expected);
  peers.accepting = true;
  while (peers.connections.length === 0) {
    await clock.advance(100);
  }
  await accept(made);
  return made;
}

/** The hold time is 9 s. */
async function assertHeldWhileAlive(made: Setting, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await assertHeld(made, 1000);
    made.peers.last.send(keepalive, Buffer.alloc(0));
  }
}

test("C9: a peer that is sending its routes when the 120 s end is heard to the end", async () => {
  const made = await establishedAfter(105_000, undefined);
  const { speaker, peers, clock } = made;
  assert.ok(clock.now() < 120_000);
  peers.last.send(update, leafFlood);
  await assertHeldWhileAlive(made, 20);
  assert.ok(clock.now() > 120_000);
  peers.last.send(update, leafGateway);
  peers.last.send(update, endOfRib);
  await clock.advance(100);
  assert.deepEqual(speaker.forwarding("a"), leafState);
});

test("C9: a peer that is lost while it sends its routes after the 120 s is not waited for again; what it sent counts", async () => {
  const made = await establishedAfter(105_000, undefined);
  const { speaker, peers, clock } = made;
  peers.last.send(update, leafFlood);
  await assertHeldWhileAlive(made, 20);
  peers.accepting = false;
  peers.last.close();
  await clock.advance(100);
  assert.deepEqual(speaker.forwarding("a"), { ...leafState, hosts: [] });
});

test("C9: a peer that comes after the 120 s is believed at once: there is nothing left to lose", async () => {
  const { speaker, peers, clock } = await establishedAfter(130_000, nothing);
  peers.last.send(update, leafFlood);
  await clock.advance(100);
  assert.deepEqual(speaker.forwarding("a"), { ...leafState, hosts: [] }, "before its End-of-RIB");
});

test("a Hard Reset means forget at once (RFC 8538)", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  for (const body of [leafFlood, leafGateway, endOfRib]) {
    peers.last.send(update, body);
  }
  peers.last.send(notification, hex("0609 0602"));
  await clock.advance(0);
  assert.deepEqual(speaker.forwarding("a"), { flood: [], hosts: [], neighbours: [] });
  assert.equal(
    speaker.sessions("a")[0]?.lastError,
    "the peer ended the session: Cease, Hard Reset (6/9) for Cease, Administrative Shutdown (6/2)",
  );
});

test("a second network joins the session and leaves it without touching it", async () => {
  const made = await established({ a: plan228 });
  const { speaker, peers, clock, changed } = made;
  peers.last.send(update, leafFlood);
  peers.last.send(update, endOfRib);
  await clock.advance(100);
  peers.last.take();
  changed();
  const both = [
    { network: "a", plan: plan228 },
    { network: "b", plan: plan240 },
  ];
  await speaker.setNetworks(both);
  await clock.advance(100);
  assert.equal(peers.connections.length, 1);
  const ofB = peers.last.take();
  assert.equal(ofB.length, 2);
  assert.ok(ofB.every((body) => body.includes("0002fde9000000f0") && !body.includes("0002fde9000000e4")));
  assert.deepEqual(changed(), ["b"]);
  assert.deepEqual(speaker.forwarding("b"), { flood: [], hosts: [], neighbours: [] });
  assert.deepEqual(speaker.sessions("b"), speaker.sessions("a"));

  await speaker.setNetworks([{ network: "a", plan: plan228 }]);
  await clock.advance(100);
  const withdrawn = hex(`
    0000 003c
    800f39 0019 46
      03 11 0001 0a00070b 00f0 00000000 20 0a00070b
      02 21 0001 0a00070b 00f0 00000000000000000000 00000000 30 020000000240 00 0000f0`);
  assert.deepEqual(peers.last.take(), sent([update, withdrawn]));
  assert.deepEqual(changed(), []);
  assert.equal(peers.last.closed, false);
  assert.equal(speaker.forwarding("b"), undefined);
});

test("a network that wants a shared session to differ is refused alone; the others go on", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  peers.last.take();
  const elsewhere: SpeakerPlan = { ...plan240, peers: ["10.0.7.20"] };
  await speaker.setNetworks([
    { network: "a", plan: plan228 },
    { network: "b", plan: { ...plan240, holdTime: 30 } },
    { network: "c", plan: elsewhere },
  ]);
  assert.equal(peers.connections.length, 2, "the third network is served all the same");
  assert.deepEqual(peers.connections[0]?.take(), []);
  assert.equal(speaker.sessions("a")[0]?.state, "Established");
  assert.deepEqual(speaker.sessions("b"), []);
  assert.deepEqual([...speaker.refusals().keys()], ["b"]);
  assert.match(speaker.refusals().get("b")?.message ?? "", /networks "a" and "b" share/);

  await speaker.setNetworks([
    { network: "a", plan: plan228 },
    { network: "b", plan: plan240 },
  ]);
  await clock.advance(100);
  assert.deepEqual([...speaker.refusals()], []);
  assert.equal(speaker.sessions("b")[0]?.state, "Established");
});

test("the last network takes the session with it: the peer is told, and its operator which one", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  peers.last.take();
  void speaker.setNetworks([]);
  await clock.advance(0);
  const text = Buffer.from("removed from this node: a");
  const cease = Buffer.concat([hex("0602 19"), text]);
  assert.deepEqual(peers.last.take(), sent([notification, Buffer.concat([hex("0609"), cease])]));
  assert.equal(peers.last.closed, true);
  assert.deepEqual(speaker.sessions("a"), []);
});

test("a peer that a network does not name any more is told so", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  peers.last.take();
  const [before] = peers.connections;
  void speaker.setNetworks([{ network: "a", plan: { ...plan228, peers: ["10.0.7.20"] } }]);
  await clock.advance(0);
  assert.deepEqual(before?.take(), sent([notification, hex("0609 0603")]));
});

test("leaving with a reason: the peer's operator reads it", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  peers.last.take();
  void speaker.close({ notify: true, reason: "cleanup" });
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), sent([notification, hex("0609 0602 07 636c65616e7570")]));
});

test("leaving is not withdrawing: the connection closes without a word, or with a Cease when told to notify", async () => {
  for (const [notify, expected] of [
    [false, []],
    [true, sent([notification, hex("0609 0602")])],
  ] as const) {
    const { speaker, peers, clock } = await established({ a: plan228 });
    peers.last.take();
    void speaker.close({ notify });
    await clock.advance(0);
    assert.deepEqual(peers.last.take(), expected);
    assert.equal(peers.last.closed, true);
  }
});

test("leaving does not wait for a peer that has not answered yet", async () => {
  const { speaker, peers, clock } = setting();
  peers.answering = false;
  void speaker.setNetworks([{ network: "a", plan: plan228 }]);
  await clock.advance(0);
  let left = false;
  void speaker.close({ notify: false }).then(() => {
    left = true;
  });
  await clock.advance(0);
  assert.deepEqual(
    peers.attempts.map(({ destroyed }) => destroyed),
    plan228.peers.map(() => true),
  );
  assert.equal(left, true);
});

test("a peer that asks for a refresh gets all routes again", async () => {
  const { peers, clock, speaker } = await established({ a: plan228 });
  peers.last.take();
  peers.last.send(routeRefresh, hex("0019 00 46"));
  await clock.advance(0);
  assert.deepEqual(
    peers.last.take(),
    sent([update, ownType3], [update, ownMac]),
    "without marks before our End-of-RIB (RFC 7313 section 4)",
  );
  speaker.initialStateKnown();
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), sent([update, endOfRib]));
  peers.last.send(routeRefresh, hex("0019 00 46"));
  await clock.advance(0);
  assert.deepEqual(
    peers.last.take(),
    sent([routeRefresh, hex("0019 01 46")], [update, ownType3], [update, ownMac], [routeRefresh, hex("0019 02 46")]),
    "between the marks of RFC 7313",
  );
  peers.last.send(routeRefresh, hex("0001 00 01"));
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), [], "of another family nothing");
});

test("a peer without enhanced refresh gets no marks, and its own mean nothing", async () => {
  const made = setting();
  void made.speaker.setNetworks([{ network: "a", plan: plan228 }]);
  const { speaker, peers, clock } = made;
  await clock.advance(0);
  peers.last.send(open, openWithoutRestart);
  peers.last.send(keepalive, Buffer.alloc(0));
  for (const body of [leafFlood, leafGateway, endOfRib]) {
    peers.last.send(update, body);
  }
  await clock.advance(0);
  peers.last.take();
  for (const subtype of ["00", "01", "02"]) {
    peers.last.send(routeRefresh, hex(`0019 ${subtype} 46`));
  }
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), sent([update, ownType3], [update, ownMac]));
  assert.deepEqual(speaker.forwarding("a"), leafState);
});

for (const [name, end] of [
  ["its end", (peers: ScriptedPeers) => peers.last.send(routeRefresh, hex("0019 02 46"))],
  ["two minutes without an end", undefined],
] as const) {
  test(`what a replay does not bring again is gone after ${name}, not before (RFC 7313, FRRouting/frr#23432)`, async () => {
    const { speaker, peers, clock, changed } = await established({ a: { ...plan228, holdTime: 3600 } });
    for (const body of [leafFlood, leafGateway, endOfRib]) {
      peers.last.send(update, body);
    }
    await clock.advance(100);
    changed();
    peers.last.send(routeRefresh, hex("0019 01 46"));
    peers.last.send(update, leafFlood);
    await clock.advance(100);
    assert.deepEqual(speaker.forwarding("a"), leafState);
    if (end === undefined) {
      for (let second = 0; second < 120; second += 5) {
        peers.last.send(keepalive, Buffer.alloc(0));
        await clock.advance(5000);
      }
    } else {
      end(peers);
      await clock.advance(100);
    }
    assert.equal(speaker.sessions("a")[0]?.state, "Established");
    assert.deepEqual(speaker.forwarding("a"), { ...leafState, hosts: [] });
  });
}

test("an address that another node still claims is announced one above it, and the MAC with it, once", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  peers.last.send(update, otherNodeClaims(4));
  peers.last.send(update, endOfRib);
  await clock.advance(0);
  peers.last.take();
  speaker.setAddresses("a", ["203.0.113.10"]);
  await clock.advance(0);
  const sequenced = hex(`
    0000 007f
    800e53 0019 46 04 0a00070b 00
      02 21 0001 0a00070b 00e4 00000000000000000000 00000000 30 020000000011 00 0000e4
      02 25 0001 0a00070b 00e4 00000000000000000000 00000000 30 020000000011 20 cb00710a 0000e4
    400101 00  400200  400504 00000064
    c01018 030c000000000008 0002fde9000000e4 0600000000000005`);
  assert.deepEqual(peers.last.take(), sent([update, sequenced]));
  peers.last.send(update, otherNodeClaims(6));
  await clock.advance(100);
  assert.deepEqual(peers.last.take(), [], "no race when the other insists");
});

test("a claim made before the peers' routes are known is settled when they are", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  speaker.setAddresses("a", ["203.0.113.10"]);
  await clock.advance(0);
  peers.last.take();
  peers.last.send(update, otherNodeClaims(0));
  peers.last.send(update, endOfRib);
  await clock.advance(0);
  const messages = peers.last.take();
  assert.equal(messages.length, 1);
  assert.match(messages[0] ?? "", /0600000000000001$/);
});

test("C6: routes of another fabric's form of route target are told once the peer has sent all, and not when the session is lost", async () => {
  const { speaker, peers, clock } = await established({ a: { ...plan228, importRouteTargets: ["65001:999"] } });
  peers.last.send(update, otherNodeClaims(0));
  await clock.advance(0);
  assert.deepEqual([...speaker.notices()], [], "more may come");
  peers.last.send(update, endOfRib);
  await clock.advance(0);
  assert.deepEqual(
    [...speaker.notices()].map(([network, found]) => [network, found.map(({ reason }) => reason)]),
    [["a", ["NoRouteMatches", "PeerKeepsNoRoutes"]]],
    "FRR 8.4 names no family for graceful restart",
  );
  assert.match(speaker.notices().get("a")?.[0]?.message ?? "", /from 10\.0\.7\.19, .*\(65001:999\); seen: 65001:228;/);
  peers.last.send(notification, hex("0602"));
  await clock.advance(0);
  assert.deepEqual([...speaker.notices()], []);
});

test("routes that another network of the session imports are nothing to look for", async () => {
  const { speaker, peers, clock } = await established({ a: plan228, b: plan240 });
  peers.last.send(update, otherNodeClaims(0));
  peers.last.send(update, endOfRib);
  await clock.advance(0);
  assert.deepEqual(
    [...speaker.notices()].map(([network, found]) => [network, found.map(({ reason }) => reason)]),
    [
      ["a", ["PeerKeepsNoRoutes"]],
      ["b", ["PeerKeepsNoRoutes"]],
    ],
  );
});

test("a peer that offers graceful restart for EVPN keeps our routes", async () => {
  const made = setting();
  void made.speaker.setNetworks([{ network: "a", plan: plan228 }]);
  const { speaker, peers, clock } = made;
  await clock.advance(0);
  // As GoBGP 4.8.0 sends it: 20 s, EVPN.
  peers.last.send(open, hex("04 fde9 0009 0a000713 16 0214 0104 0019 00 46 4104 0000fde9 4006 0014 00194600"));
  peers.last.send(keepalive, Buffer.alloc(0));
  peers.last.send(update, endOfRib);
  await clock.advance(0);
  assert.equal(speaker.sessions("a")[0]?.state, "Established");
  assert.deepEqual([...speaker.notices()], []);
});

test("a number that an earlier process announced is kept, with nobody left who competes", async () => {
  const sequences = new SequenceMemory([
    { network: "a", mac: "02:00:00:00:00:11", sequence: 5 },
    { network: "b", mac: "02:00:00:00:00:11", sequence: 9 },
  ]);
  const { speaker, peers, clock } = await established({ a: plan228 }, { sequences });
  peers.last.send(update, endOfRib);
  speaker.setAddresses("a", ["203.0.113.10"]);
  await clock.advance(0);
  const hosts = peers.last.take().filter((message) => message.includes("020000000011"));
  assert.equal(hosts.length, 2);
  for (const message of hosts) {
    assert.match(message, /0600000000000005$/);
  }
});

test("a number is remembered when it rises, and holds when the network goes and comes back", async () => {
  const sequences = new SequenceMemory();
  const { speaker, peers, clock } = await established({ a: plan228, b: plan240 }, { sequences });
  peers.last.send(update, otherNodeClaims(4));
  peers.last.send(update, endOfRib);
  await clock.advance(0);
  speaker.setAddresses("a", ["203.0.113.10"]);
  await clock.advance(0);
  assert.deepEqual(sequences.entries(), [
    { network: "a", mac: "02:00:00:00:00:11", sequence: 5, raisedAt: [Date.UTC(2026, 0, 1)] },
  ]);
  await speaker.setNetworks([{ network: "b", plan: plan240 }]);
  await clock.advance(0);
  peers.last.take();
  await speaker.setNetworks([
    { network: "a", plan: plan228 },
    { network: "b", plan: plan240 },
  ]);
  await clock.advance(0);
  const hosts = peers.last.take().filter((message) => message.includes("020000000011"));
  assert.equal(hosts.length, 1);
  assert.match(hosts[0] ?? "", /0600000000000005$/);
});

test("malformed bytes cost the session only where the framing is lost", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  for (const body of [leafGateway, endOfRib]) {
    peers.last.send(update, body);
  }
  await clock.advance(0);
  const withoutOrigin = hex(`
    0000 004e
    900e002c 0019 46 04 0a000713 00
      02 21 0001 0a000713 0002 00000000000000000000 00000000 30 0200000000fe 00 0000e4
    50020000  400504 00000064
    c01010 030c000000000008 0002fde9000000e4`);
  peers.last.send(update, withoutOrigin);
  await clock.advance(0);
  assert.equal(speaker.sessions("a")[0]?.state, "Established");
  assert.deepEqual(speaker.forwarding("a")?.hosts, [], "the route is withdrawn");
  peers.last.take();
  peers.last.send(update, hex("0000 0010 40 01 01 00"));
  await clock.advance(0);
  assert.deepEqual(peers.last.take(), sent([notification, hex("0301")]));
  assert.equal(speaker.sessions("a")[0]?.state, "Idle");
});

test("a route that cannot be encoded ends its session with an error; the others go on", async () => {
  const made = setting();
  const { speaker, peers, clock } = made;
  const bad: SpeakerPlan = { ...plan240, peers: ["10.0.7.20"], exportRouteTargets: ["banana"] };
  void speaker.setNetworks([
    { network: "a", plan: plan228 },
    { network: "b", plan: bad },
  ]);
  await clock.advance(0);
  for (const peer of peers.connections) {
    peer.send(open, reflectorOpen);
    peer.send(keepalive, Buffer.alloc(0));
  }
  await clock.advance(0);
  const [ofB] = speaker.sessions("b");
  assert.equal(ofB?.state, "Idle");
  assert.equal(
    ofB?.lastError,
    'this speaker could not go on with the session: "banana" has none of the forms AS:NUMBER and A.B.C.D:NUMBER',
  );
  assert.equal(peers.last.take().at(-1), `0${notification}0600`);
  assert.equal(speaker.sessions("a")[0]?.state, "Established");
  await clock.advance(2000);
  assert.equal(speaker.sessions("b")[0]?.state, "OpenSent", "it is tried again");
});

test("a route that becomes impossible while the session stands ends it, and the call does not fail", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  peers.last.take();
  speaker.setAddresses("a", ["banana"]);
  await clock.advance(0);
  assert.match(speaker.sessions("a")[0]?.lastError ?? "", /"banana" is not an IP address$/);
  assert.deepEqual(peers.last.take(), sent([notification, hex("0600")]));
  speaker.setAddresses("a", []);
  await clock.advance(1000);
  await accept({ speaker, peers, clock, changed: () => [] });
  assert.equal(speaker.sessions("a")[0]?.state, "Established", "it is well again with the cause gone");
});

test("an OPEN that cannot be encoded, and a connection that cannot be tried, are errors of their session", async () => {
  const { speaker, clock } = setting();
  void speaker.setNetworks([{ network: "a", plan: { ...plan228, routerId: "banana" } }]);
  await clock.advance(0);
  assert.deepEqual(
    speaker.sessions("a").map(({ state, lastError }) => [state, lastError?.includes("banana")]),
    [["Idle", true]],
  );
  const refusing = new EvpnSpeaker({
    log: () => undefined,
    restarted: false,
    connect: () => {
      throw new TypeError("Invalid IP address: banana");
    },
    clock,
  });
  await refusing.setNetworks([{ network: "a", plan: { ...plan228, vtep: "banana" } }]);
  assert.match(refusing.sessions("a")[0]?.lastError ?? "", /Invalid IP address: banana$/);
});

test("whoever listens and throws costs a session, never the process; leaving stays leaving", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  speaker.on("session", () => {
    throw new Error("a listener's mistake");
  });
  peers.last.send(notification, hex("0602"));
  await clock.advance(0);
  assert.equal(speaker.sessions("a")[0]?.state, "Idle");
  await clock.advance(1000);
  assert.equal(peers.connections.length, 2, "the next attempt is made all the same");
  void speaker.close({ notify: true });
  await clock.advance(60_000);
  assert.equal(peers.connections.length, 2, "and none after the end");
});

test("the time of a session's state is the wall clock's", async () => {
  const { speaker, peers, clock } = await established({ a: plan228 });
  assert.equal(speaker.sessions("a")[0]?.since, "2026-01-01T00:00:00.000Z");
  await clock.advance(2500);
  peers.last.send(notification, hex("0602"));
  await clock.advance(0);
  assert.equal(speaker.sessions("a")[0]?.since, "2026-01-01T00:00:02.500Z");
});

test("intervals do not follow a step of the wall clock", (context) => {
  const before = systemClock.now();
  context.mock.method(Date, "now", () => 0);
  assert.ok(systemClock.now() >= before);
});
