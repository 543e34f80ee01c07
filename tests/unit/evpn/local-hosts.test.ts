import assert from "node:assert/strict";
import { test } from "node:test";
import { SequenceMemory } from "../../../agent-image/agent/evpn/sequence-memory.js";
import { hex } from "../bgp/bytes.js";
import { plan228 } from "./plan.js";
import { endOfRib, established, messageType, type Setting, type SettingOptions } from "./speaker-setting.js";

const { update } = messageType;

const machine = { mac: "02:00:00:00:00:50", addresses: ["203.0.113.50"] } as const;

/** Routes of the machine by RFC 7432 section 7.2, with the RD of n1: its MAC alone, and with 203.0.113.50. */
const byMac = "02210001 0a00070b00e4 00000000000000000000 00000000 30 020000000050 00 0000e4";
const byAddress = "02250001 0a00070b00e4 00000000000000000000 00000000 30 020000000050 20 cb007132 0000e4";

/** The numbers with which a route was announced, by MP_REACH_NLRI with our VTEP as next hop (RFC 4760). */
const numbers = (messages: readonly string[], route: string): number[] =>
  messages.flatMap((message) => {
    if (!message.includes("001946040a00070b00") || !message.includes(route.replaceAll(" ", ""))) return [];
    const [, number = "0"] = /0600(?:00|01)00([0-9a-f]{8})/.exec(message) ?? [];
    return [Number.parseInt(number, 16)];
  });

/** MP_UNREACH_NLRI has no next hop: the routes follow at once. */
const isWithdrawn = (messages: readonly string[], route: string): boolean =>
  messages.some((message) => /0f(?:..|....)00194602/.test(message) && message.includes(route.replaceAll(" ", "")));

/** n2 (10.0.7.12) or a VTEP below ours (10.0.7.5) has the machine. */
function otherHas(sequence: number, vtep: "12" | "05" = "12"): Buffer {
  const last = vtep === "12" ? "0c" : "05";
  const body = hex(`
    0000 005a
    900e002c 0019 46 04 0a0007${last} 00
      02 21 0001 0a0007${last} 00e4 00000000000000000000 00000000 30 020000000050 00 0000e4
    400101 00  50020000  400504 00000064
    c01018 030c000000000008 0002fde9000000e4 0600000000000000`);
  body.writeUInt32BE(sequence, body.length - 4);
  return body;
}

const otherLeaves = hex(
  "0000 0029 800f26 0019 46 02 21 0001 0a00070c 00e4 00000000000000000000 00000000 30 020000000050 00 0000e4",
);

async function begin(options: SettingOptions = {}): Promise<Setting & { readonly moved: string[] }> {
  const made = await established({ a: plan228 }, options);
  const moved: string[] = [];
  made.speaker.on("moved", (network, mac) => moved.push(`${network} ${mac}`));
  made.peers.last.send(update, endOfRib);
  await made.clock.advance(0);
  made.peers.last.take();
  return { ...made, moved };
}

test("a machine is announced with its own MAC, alone and with each address, and withdrawn when it goes", async () => {
  const { speaker, peers, clock } = await begin();
  speaker.setHosts("a", [machine]);
  await clock.advance(0);
  const sent = peers.last.take();
  assert.deepEqual([numbers(sent, byMac), numbers(sent, byAddress)], [[0], [0]]);
  speaker.setHosts("a", [{ ...machine, addresses: [] }]);
  await clock.advance(0);
  const later = peers.last.take();
  assert.deepEqual([isWithdrawn(later, byMac), isWithdrawn(later, byAddress)], [false, true]);
  speaker.setHosts("a", []);
  await clock.advance(0);
  assert.ok(isWithdrawn(peers.last.take(), byMac));
});

test("a machine that comes from another node is set above its claim, and its frames stay here", async () => {
  const { speaker, peers, clock, moved } = await begin();
  peers.last.send(update, otherHas(4));
  await clock.advance(0);
  assert.deepEqual(speaker.forwarding("a")?.hosts, [{ mac: machine.mac, vtep: "10.0.7.12" }]);
  speaker.takeForwarding("a");
  speaker.setHosts("a", [machine]);
  await clock.advance(0);
  const sent = peers.last.take();
  assert.deepEqual([numbers(sent, byMac), numbers(sent, byAddress)], [[5], [5]]);
  const news = speaker.takeForwarding("a");
  assert.deepEqual(news?.kind === "changes" && news.changes.hosts, [{ mac: machine.mac, vtep: undefined }]);
  assert.deepEqual(moved, []);
  peers.last.send(update, otherLeaves);
  await clock.advance(0);
  assert.deepEqual(moved, [], "the other's withdrawal changes nothing here");
});

test("a machine that goes to another node with a higher number is withdrawn at once, told of, and reached there", async () => {
  const { speaker, peers, clock, moved } = await begin();
  speaker.setHosts("a", [machine]);
  await clock.advance(0);
  speaker.takeForwarding("a");
  peers.last.take();
  peers.last.send(update, otherHas(1));
  await clock.advance(0);
  const sent = peers.last.take();
  assert.deepEqual([isWithdrawn(sent, byMac), isWithdrawn(sent, byAddress)], [true, true]);
  assert.deepEqual(moved, [`a ${machine.mac}`]);
  const news = speaker.takeForwarding("a");
  assert.deepEqual(news?.kind === "changes" && news.changes.hosts, [{ mac: machine.mac, vtep: "10.0.7.12" }]);
});

test("the number of a machine that leaves, alone or to another node, is unused from then on, and holds when it comes back", async () => {
  const sequences = new SequenceMemory();
  const { speaker, peers, clock } = await begin({ sequences });
  const unusedSince = () => sequences.entries().map((entry) => entry.unusedSince);
  const began = clock.wallTime().getTime();
  peers.last.send(update, otherHas(4));
  await clock.advance(0);
  speaker.setHosts("a", [machine]);
  await clock.advance(1000);
  assert.deepEqual(unusedSince(), [undefined]);
  speaker.setHosts("a", []);
  await clock.advance(1000);
  assert.deepEqual(unusedSince(), [began + 1000]);
  peers.last.send(update, otherLeaves);
  await clock.advance(0);
  peers.last.take();
  speaker.setHosts("a", [machine]);
  await clock.advance(0);
  assert.deepEqual(numbers(peers.last.take(), byMac), [5]);
  assert.deepEqual(unusedSince(), [undefined]);
  peers.last.send(update, otherHas(6));
  await clock.advance(0);
  assert.deepEqual(unusedSince(), [began + 2000]);
});

test("of equal numbers the lower VTEP address has the machine (RFC 7432 section 15.1)", async () => {
  const above = await begin();
  above.speaker.setHosts("a", [machine]);
  await above.clock.advance(0);
  above.peers.last.send(update, otherHas(0, "12"));
  await above.clock.advance(0);
  assert.deepEqual(above.moved, [], "ours is 10.0.7.11");
  above.peers.last.send(update, otherHas(0, "05"));
  await above.clock.advance(0);
  assert.deepEqual(above.moved, [`a ${machine.mac}`]);
});

test("two machines with one MAC: the number rises four times within 180 s, then waits, and the MAC is named", async () => {
  const { speaker, peers, clock, changed } = await begin();
  const raised: number[] = [];
  const fight = async (sequence: number) => {
    peers.last.send(update, otherHas(sequence));
    await clock.advance(0);
    speaker.setHosts("a", [machine]);
    await clock.advance(0);
    raised.push(...numbers(peers.last.take(), byMac));
  };
  for (const sequence of [0, 2, 4, 6]) await fight(sequence);
  assert.deepEqual(raised, [1, 3, 5, 7]);
  await fight(8);
  assert.deepEqual(raised.slice(4), [7], "as it was");
  const reasons = (speaker.notices().get("a") ?? []).map(({ reason }) => reason);
  assert.ok(reasons.includes("DuplicateMacDetected"), reasons.join());
  changed();
  for (let passed = 0; passed < 181_000; passed += 5_000) {
    peers.last.send(messageType.keepalive, Buffer.alloc(0));
    await clock.advance(5_000);
  }
  assert.deepEqual(numbers(peers.last.take(), byMac), [9], "when the time is up");
});

test("the other of two machines goes while the number waits: it rises all the same, for a receiver may still hold the other's", async () => {
  const { speaker, peers, clock } = await begin();
  for (const sequence of [0, 2, 4, 6, 8]) {
    peers.last.send(update, otherHas(sequence));
    await clock.advance(0);
    speaker.setHosts("a", [machine]);
    await clock.advance(0);
  }
  peers.last.take();
  peers.last.send(update, otherLeaves);
  await clock.advance(0);
  assert.deepEqual(numbers(peers.last.take(), byMac), []);
  for (let passed = 0; passed < 181_000; passed += 5_000) {
    peers.last.send(messageType.keepalive, Buffer.alloc(0));
    await clock.advance(5_000);
  }
  assert.deepEqual(numbers(peers.last.take(), byMac), [9]);
});

test("before a peer has sent everything nobody is set above anybody, and then whoever is behind us is", async () => {
  const made = await established({ a: plan228 });
  made.speaker.setHosts("a", [machine]);
  made.peers.last.send(update, otherHas(4));
  await made.clock.advance(0);
  const moved: string[] = [];
  made.speaker.on("moved", (_network, mac) => moved.push(mac));
  assert.ok(numbers(made.peers.last.take(), byMac).every((number) => number === 0));
  made.peers.last.send(update, endOfRib);
  await made.clock.advance(0);
  assert.deepEqual(numbers(made.peers.last.take(), byMac).at(-1), 5);
  assert.deepEqual(moved, []);
});

test("a network that goes takes its machines along", async () => {
  const { speaker, peers, clock } = await begin();
  speaker.setHosts("a", [machine]);
  await clock.advance(0);
  void speaker.setNetworks([]);
  await clock.advance(200_000);
  assert.doesNotThrow(() => speaker.setHosts("a", [machine]));
  assert.deepEqual(speaker.forwarding("a"), undefined);
  assert.ok(peers.last.take().length > 0);
});
