import assert from "node:assert/strict";
import { test } from "node:test";
import { hex } from "../bgp/bytes.js";
import { plan228 } from "./plan.js";
import type { ScriptedConnection } from "./scripted-peer.js";
import {
  endOfRib,
  messageType,
  openWithoutRestart,
  otherNodeClaims,
  type Setting,
  setting,
} from "./speaker-setting.js";

/** A node whose kernel holds what an earlier process left there (RFC 4724 section 4.1). */

const { open, update, notification, keepalive } = messageType;
const none = Buffer.alloc(0);
const two = { ...plan228, peers: ["10.0.7.19", "10.0.7.20"] };

/** AS 65001, hold time 9 s, EVPN, graceful restart of 120 s for EVPN; with the R bit the peer has restarted itself. */
const openWith = (identifier: string, flags: "4" | "c") =>
  hex(`04 fde9 0009 ${identifier} 16 0214 0104 0019 00 46 4006 ${flags}078 0019 46 80 4104 0000fde9`);
const standing = openWith("0a000714", "4");

function answer(connection: ScriptedConnection | undefined, body: Buffer): void {
  connection?.send(open, body);
  connection?.send(keepalive, none);
}

async function restarted(restartedBefore = true): Promise<Setting> {
  const made = setting({ restarted: restartedBefore });
  void made.speaker.setNetworks([{ network: "a", plan: two }]);
  await made.clock.advance(0);
  return made;
}

const known = ({ speaker }: Setting) => speaker.forwarding("a")?.hosts.length;

/** With peers that are alive: all, or the first so many. */
async function pass({ peers, clock }: Setting, seconds: number, alive = peers.connections.length): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    for (const connection of peers.connections.slice(0, alive)) connection.send(keepalive, none);
    await clock.advance(1000);
  }
}

test("an End-of-RIB of one peer takes nothing away while another one is sending its table", async () => {
  const made = await restarted();
  const [first, second] = made.peers.connections;
  answer(first, openWith("0a000713", "4"));
  answer(second, standing);
  first?.send(update, endOfRib);
  await pass(made, 5);
  assert.equal(known(made), undefined);
  second?.send(update, otherNodeClaims(0));
  second?.send(update, endOfRib);
  await made.clock.advance(0);
  assert.equal(known(made), 1);
});

test("on an interface that has just been made nothing is held back: what a peer has sent so far is told at once", async () => {
  const made = await restarted();
  const [first, second] = made.peers.connections;
  made.speaker.nothingToKeep("a");
  answer(first, openWith("0a000713", "4"));
  answer(second, standing);
  await made.clock.advance(0);
  assert.equal(known(made), 0);
  first?.send(update, otherNodeClaims(0));
  await made.clock.advance(0);
  assert.deepEqual(made.speaker.takeForwarding("a")?.kind, "whole");
  second?.send(update, otherNodeClaims(0));
  first?.send(update, endOfRib);
  await pass(made, 31);
  assert.equal(known(made), 1);
  const end = made.speaker.takeForwarding("a");
  assert.deepEqual(end?.kind === "changes" && end.changes, { flood: [], hosts: [] }, "the End-of-RIB changes nothing");
});

test("whose routes are known, or a network that nobody declared, has nothing to let go of", async () => {
  const made = await restarted();
  made.speaker.nothingToKeep("b");
  for (const connection of made.peers.connections) {
    answer(connection, openWith("0a000713", "4"));
    connection.send(update, otherNodeClaims(0));
    connection.send(update, endOfRib);
  }
  await made.clock.advance(0);
  made.speaker.nothingToKeep("a");
  assert.equal(known(made), 1);
});

test("it waits for half a minute at most, not for one that has restarted too, and not for one that does not answer", async () => {
  const slow = await restarted();
  answer(slow.peers.connections[0], openWith("0a000713", "4"));
  answer(slow.peers.connections[1], standing);
  slow.peers.connections[0]?.send(update, endOfRib);
  await pass(slow, 29);
  assert.equal(known(slow), undefined);
  await pass(slow, 2);
  assert.equal(known(slow), 0);

  const both = await restarted();
  answer(both.peers.connections[0], openWith("0a000713", "4"));
  answer(both.peers.connections[1], openWith("0a000714", "c"));
  both.peers.connections[0]?.send(update, endOfRib);
  await both.clock.advance(0);
  assert.equal(known(both), 0);

  const alone = await restarted();
  answer(alone.peers.connections[0], openWith("0a000713", "4"));
  alone.peers.connections[0]?.send(update, endOfRib);
  await pass(alone, 4, 1);
  assert.equal(known(alone), undefined);
  await pass(alone, 2, 1);
  assert.equal(known(alone), 0);
});

test("a peer that refuses the first attempt, or has no graceful restart, gets its five seconds as well", async () => {
  const refused = await restarted();
  answer(refused.peers.connections[0], openWith("0a000713", "4"));
  refused.peers.connections[0]?.send(update, endOfRib);
  refused.peers.connections[1]?.send(notification, hex("0605"));
  await pass(refused, 2, 1);
  assert.equal(known(refused), undefined);
  assert.equal(refused.peers.connections.length, 3);
  answer(refused.peers.last, standing);
  refused.peers.last.send(update, otherNodeClaims(0));
  refused.peers.last.send(update, endOfRib);
  await refused.clock.advance(0);
  assert.equal(known(refused), 1);

  const plain = await restarted();
  answer(plain.peers.connections[0], openWith("0a000713", "4"));
  answer(plain.peers.connections[1], openWithoutRestart);
  plain.peers.connections[0]?.send(update, endOfRib);
  await pass(plain, 3);
  assert.equal(known(plain), undefined);
  plain.peers.connections[1]?.send(update, otherNodeClaims(0));
  await pass(plain, 3);
  assert.equal(known(plain), 1);
});

test("so do both peers of a session whose parameters were changed", async () => {
  const made = await restarted(false);
  for (const [index, connection] of made.peers.connections.entries()) {
    answer(connection, openWith(`0a00071${index + 3}`, "4"));
    connection.send(update, otherNodeClaims(0));
    connection.send(update, endOfRib);
  }
  await made.clock.advance(0);
  assert.equal(known(made), 1);
  void made.speaker.setNetworks([{ network: "a", plan: { ...two, holdTime: 12 } }]);
  await made.clock.advance(0);
  const [, , third, fourth] = made.peers.connections;
  answer(third, openWith("0a000713", "4"));
  answer(fourth, standing);
  third?.send(update, endOfRib);
  await made.clock.advance(2000);
  assert.equal(known(made), undefined);
  fourth?.send(update, otherNodeClaims(0));
  fourth?.send(update, endOfRib);
  await made.clock.advance(0);
  assert.equal(known(made), 1);
});

test("a node with nothing in its kernel waits for nobody, and a peer that is added later makes nothing unknown", async () => {
  const fresh = await restarted(false);
  answer(fresh.peers.connections[0], openWith("0a000713", "4"));
  fresh.peers.connections[0]?.send(update, endOfRib);
  await fresh.clock.advance(0);
  assert.equal(known(fresh), 0);

  const made = await restarted();
  for (const [index, connection] of made.peers.connections.entries()) {
    answer(connection, openWith(`0a00071${index + 3}`, "4"));
    connection.send(update, endOfRib);
  }
  await made.clock.advance(0);
  assert.equal(known(made), 0);
  void made.speaker.setNetworks([{ network: "a", plan: { ...two, peers: [...two.peers, "10.0.7.21"] } }]);
  await made.clock.advance(0);
  assert.equal(known(made), 0);
});

test("a session with other parameters follows one that stood: forwarding goes on, and nothing has restarted", async () => {
  const made = setting({ restarted: true });
  void made.speaker.setNetworks([{ network: "a", plan: plan228 }]);
  await made.clock.advance(0);
  const restart = () => /4006(.{4})001946(..)/.exec(made.peers.last.take()[0] ?? "")?.slice(1);
  assert.deepEqual(restart(), ["c078", "80"], "R and N, 120 s, F: it follows an earlier process");
  answer(made.peers.last, openWith("0a000713", "4"));
  await made.clock.advance(0);
  void made.speaker.setNetworks([{ network: "a", plan: { ...plan228, holdTime: 12 } }]);
  await made.clock.advance(1000);
  assert.equal(made.peers.connections.length, 2);
  assert.deepEqual(restart(), ["4078", "80"]);
});
