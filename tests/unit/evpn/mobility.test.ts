import assert from "node:assert/strict";
import { test } from "node:test";
import { SequenceMemory } from "../../../agent-image/agent/evpn/sequence-memory.js";
import { hex } from "../bgp/bytes.js";
import { plan228 } from "./plan.js";
import {
  endOfRib,
  established,
  messageType,
  otherNodeClaims,
  type Setting,
  type SettingOptions,
} from "./speaker-setting.js";

const { update, keepalive } = messageType;
const address = "203.0.113.10";

/** Time passes on a session that stands: the hold time is 9 s. */
async function pass({ peers, clock }: Setting, milliseconds: number): Promise<void> {
  const beat = 5000;
  for (let passed = 0; passed < milliseconds; passed += beat) {
    peers.last.send(keepalive, Buffer.alloc(0));
    await clock.advance(Math.min(beat, milliseconds - passed));
  }
}

/** The numbers of our Type-2 that have been sent since the last look, each once where it follows itself. */
function numbersOf({ peers }: Setting): number[] {
  const numbers = peers.last.take().flatMap((message) => {
    const [, number] = /0600(?:00|01)00([0-9a-f]{8})$/.exec(message) ?? [];
    return number === undefined ? [] : [Number.parseInt(number, 16)];
  });
  return numbers.filter((number, index) => number !== numbers[index - 1]);
}

function reasons({ speaker }: Setting): string[] {
  const reported = (speaker.notices().get("a") ?? []).map(({ reason }) => reason);
  return reported.filter((reason) => reason !== "PeerKeepsNoRoutes");
}

function messageOf({ speaker }: Setting, reason: string): string | undefined {
  return speaker
    .notices()
    .get("a")
    ?.find((condition) => condition.reason === reason)?.message;
}

async function begin(options: SettingOptions = {}): Promise<Setting> {
  const made = await established({ a: plan228 }, options);
  made.peers.last.send(update, endOfRib);
  await made.clock.advance(0);
  made.peers.last.take();
  return made;
}

test("a claim with a number that no move makes is not followed, and is named", async () => {
  const made = await begin();
  await fight(made, 4294967295);
  assert.deepEqual(numbersOf(made), []);
  assert.deepEqual(reasons(made), ["SequenceOutOfReach"]);
  assert.equal(
    messageOf(made, "SequenceOutOfReach"),
    "10.0.7.12 announces 203.0.113.10 with 02:00:00:00:00:12 with a sequence number above 2147483647, which no move makes and ours " +
      "does not follow (RFC 7432 section 15): traffic goes there; find out what sends such routes, and take the address off that VTEP",
  );
  await fight(made, 4);
  assert.deepEqual(numbersOf(made), [5]);
  assert.deepEqual(reasons(made), []);
});

/** The other node claims the address with this number, and then we do. */
async function fight({ speaker, peers, clock }: Setting, sequence: number): Promise<void> {
  speaker.setAddresses("a", []);
  peers.last.send(update, otherNodeClaims(sequence));
  await clock.advance(0);
  speaker.setAddresses("a", [address]);
  await clock.advance(0);
}

test("two nodes that fight for an address: our number rises four times within 180 s, then waits, and rises when they are over", async () => {
  const made = await begin();
  for (const [round, sequence] of [0, 2, 4, 6].entries()) {
    await fight(made, sequence);
    assert.deepEqual(numbersOf(made), [sequence + 1], `round ${round}`);
    await pass(made, 10_000);
  }
  assert.deepEqual(reasons(made), []);
  for (const sequence of [8, 10, 12, 14]) {
    await fight(made, sequence);
    assert.ok(numbersOf(made).every((number) => number === 7));
    await pass(made, 1000);
    assert.deepEqual(reasons(made), ["MacMobilityDamped"]);
  }
  assert.equal(
    messageOf(made, "MacMobilityDamped"),
    "10.0.7.12 announces 203.0.113.10 with 02:00:00:00:00:12 as well, and the sequence number of our MAC 02:00:00:00:00:11 has " +
      "been raised 4 times within 180 s: it is not raised again before that time is up, because switches freeze what moves 5 " +
      "times (RFC 7432 section 15.1), so traffic may go there until then; find out why two nodes answer for one address, and " +
      "take it from one",
  );
  // The first rise is 44 s ago.
  made.changed();
  await pass(made, 135_900);
  assert.deepEqual(numbersOf(made), []);
  await pass(made, 200);
  assert.deepEqual(numbersOf(made), [15], "above all that came meanwhile");
  assert.deepEqual(reasons(made), []);
  assert.ok(made.changed().includes("a"), "the status is told");
});

test("the other gives up while we wait: nothing is left to raise, and nothing to report", async () => {
  const made = await begin();
  for (const sequence of [0, 2, 4, 6, 8]) {
    await fight(made, sequence);
  }
  assert.deepEqual(reasons(made), ["MacMobilityDamped"]);
  made.peers.last.send(
    update,
    hex(
      "0000 002d 800f2a 0019 46 02 25 0001 0a00070c 00e4 00000000000000000000 00000000 30 020000000012 20 cb00710a 0000e4",
    ),
  );
  await made.clock.advance(0);
  assert.deepEqual(reasons(made), []);
  numbersOf(made);
  await pass(made, 200_000);
  assert.deepEqual(numbersOf(made), []);
  await fight(made, 8);
  assert.deepEqual(numbersOf(made), [9], "and later the number rises as ever");
});

test("a network or an address that goes while we wait leaves nothing behind", async () => {
  const made = await begin();
  for (const sequence of [0, 2, 4, 6, 8]) {
    await fight(made, sequence);
  }
  made.speaker.setAddresses("a", []);
  assert.deepEqual(reasons(made), []);
  void made.speaker.setNetworks([]);
  await made.clock.advance(200_000);
  assert.deepEqual([...made.speaker.notices()], []);
});

test("what an earlier process raised counts too; a clock that was set back meanwhile does not", async () => {
  const start = Date.UTC(2026, 0, 1);
  const entry = { network: "a", mac: "02:00:00:00:00:11", sequence: 4 };
  const lately = [4000, 3000, 2000, 1000].map((before) => start - before);
  const damped = await begin({ sequences: new SequenceMemory([{ ...entry, raisedAt: lately }]) });
  await fight(damped, 4);
  assert.deepEqual(reasons(damped), ["MacMobilityDamped"]);
  assert.deepEqual(
    numbersOf(damped).filter((number) => number > 4),
    [],
  );
  const ahead = lately.map((time) => time + 86_400_000);
  const free = await begin({ sequences: new SequenceMemory([{ ...entry, raisedAt: ahead }]) });
  await fight(free, 4);
  assert.deepEqual([reasons(free), numbersOf(free)], [[], [5]]);
});

test("a sticky claim is not raised against, and reported while it stands", async () => {
  const made = await begin();
  const sticky = otherNodeClaims(4);
  sticky.writeUInt8(1, sticky.length - 6);
  made.peers.last.send(update, sticky);
  made.speaker.setAddresses("a", [address]);
  await made.clock.advance(0);
  assert.deepEqual(numbersOf(made), []);
  assert.equal(
    messageOf(made, "StickyMacElsewhere"),
    "10.0.7.12 announces 203.0.113.10 with 02:00:00:00:00:12 as a sticky MAC, which no sequence number is above (RFC 7432 section " +
      "15.2): traffic goes there; take the address, or the static MAC entry, off that VTEP",
  );
  made.peers.last.send(update, otherNodeClaims(4));
  await made.clock.advance(0);
  assert.deepEqual(reasons(made), []);
});

test("a route with our own MAC, whatever its number, never makes ours rise", async () => {
  const made = await begin();
  const ours = otherNodeClaims(4);
  // The MAC stands behind flags, length, AFI, SAFI, next hop, RD, ESI, tag and the MAC's length.
  ours.write("020000000011", 4 + 4 + 9 + 2 + 8 + 10 + 4 + 1, "hex");
  for (const sequence of [4, 6, 8]) {
    ours.writeUInt32BE(sequence, ours.length - 4);
    made.speaker.setAddresses("a", []);
    made.peers.last.send(update, ours);
    await made.clock.advance(0);
    made.speaker.setAddresses("a", [address]);
    await made.clock.advance(0);
    assert.deepEqual(numbersOf(made), []);
    assert.deepEqual(reasons(made), ["DuplicateMac"]);
  }
});

/** A Type-2 of one host without address behind a VTEP 10.0.7.X. */
function hostBehind(vtep: number, sequence: number): Buffer {
  const body = hex(`
    0000 005a
    900e002c 0019 46 04 0a000700 00
      02 21 0001 0a000700 0002 00000000000000000000 00000000 30 020000009901 00 0000e4
    400101 00  50020000  400504 00000064
    c01018 030c000000000008 0002fde9000000e4 0600000000000000`);
  const nextHop = 4 + 4 + 4;
  body.writeUInt8(vtep, nextHop + 3);
  const distinguisher = nextHop + 4 + 1 + 2;
  body.writeUInt8(vtep, distinguisher + 5);
  body.writeUInt32BE(sequence, body.length - 4);
  return body;
}

test("moves among others are followed always, and reported from the fifth within 180 s on until they rest", async () => {
  const made = await begin();
  const { speaker, peers, clock } = made;
  const seen: (string | undefined)[] = [];
  speaker.takeForwarding("a");
  for (let sequence = 0; sequence <= 8; sequence += 1) {
    assert.deepEqual(reasons(made), sequence <= 5 ? [] : ["DuplicateMacDetected"], `after ${sequence - 1} moves`);
    peers.last.send(update, hostBehind(sequence % 2 === 0 ? 12 : 13, sequence));
    await clock.advance(1000);
    const news = speaker.takeForwarding("a");
    seen.push(news?.kind === "changes" ? news.changes.hosts[0]?.vtep : undefined);
  }
  assert.deepEqual(
    seen,
    [12, 13, 12, 13, 12, 13, 12, 13, 12].map((vtep) => `10.0.7.${vtep}`),
  );
  assert.equal(
    messageOf(made, "DuplicateMacDetected"),
    "MACs move 5 times and more within 180 s (RFC 7432 section 15.1): 02:00:00:00:99:01 (10.0.7.12 and 10.0.7.13); they are " +
      "followed all the same; two hosts have one MAC, or the segment has a loop: find the second host, or open the loop",
  );
  await pass(made, 180_000);
  assert.deepEqual(reasons(made), []);
});
