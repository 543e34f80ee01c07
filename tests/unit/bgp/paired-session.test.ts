import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { PairedSession } from "../../../agent-image/agent/bgp/session/paired-session.js";
import { ScriptedConnection, ScriptedPeers, TestClock } from "../evpn/scripted-peer.js";
import { frrOpenFrom } from "./frr-open.js";

const target = { local: "10.0.7.11", peer: "10.0.7.19" };
const config = { localAsn: 65001, peerAsn: 65001, routerId: "10.0.7.11", holdTime: 9, restarted: false };
/** OPEN of FRR with an identifier above and below ours. */
const higherOpen = frrOpenFrom("0a000713");
const lowerOpen = frrOpenFrom("0a000705");
const none = Buffer.alloc(0);
const [open, update, notification, keepalive] = [1, 2, 3, 4] as const;

interface Setting {
  readonly session: PairedSession;
  readonly peers: ScriptedPeers;
  readonly clock: TestClock;
  /** What the owner of the session is told. */
  readonly told: string[];
  /** A connection that the peer opens. */
  readonly incoming: () => ScriptedConnection;
}

function setting(): Setting {
  const peers = new ScriptedPeers();
  const clock = new TestClock();
  const told: string[] = [];
  const session = new PairedSession({
    target,
    config,
    connect: peers.connect,
    clock,
    random: () => 0.999,
    listener: {
      stateChanged: () => undefined,
      established: () => told.push("established"),
      lost: (keepRoutes) => told.push(`lost ${keepRoutes}`),
      received: ({ kind }) => told.push(kind),
      failed: (error) => told.push(`failed ${String(error)}`),
    },
  });
  const incoming = () => {
    const [near, far] = duplexPair();
    const connection = new ScriptedConnection(target, near, far);
    session.accept(near);
    return connection;
  };
  return { session, peers, clock, told, incoming };
}

/**
 * With a connection of each side, over which only our OPEN has gone.
 *
 * @param after who had opened the connection of a session that was there before
 */
async function bothOpen(
  after?: "us" | "peer",
): Promise<Setting & { readonly ours: ScriptedConnection; readonly theirs: ScriptedConnection }> {
  const made = setting();
  const { session, peers, clock, told } = made;
  peers.accepting = after !== "peer";
  session.start();
  await clock.advance(0);
  if (after !== undefined) {
    const before = after === "us" ? peers.last : made.incoming();
    before.send(open, higherOpen);
    before.send(keepalive, none);
    await clock.advance(0);
    before.close();
    peers.accepting = true;
    await clock.advance(1000);
    assert.deepEqual(told.splice(0), ["established", "lost true"]);
    peers.connections.splice(0, peers.connections.length - 1);
  }
  const theirs = made.incoming();
  await made.clock.advance(0);
  const ours = made.peers.last;
  for (const connection of [ours, theirs]) {
    const [own, ...more] = connection.take();
    assert.match(own ?? "", /^0104fde900090a00070b/, "our OPEN");
    assert.deepEqual(more, []);
  }
  return { ...made, ours, theirs };
}

const collided = ["030607"];

for (const [identifier, peerOpen, stays] of [
  ["higher", higherOpen, "theirs"],
  ["lower", lowerOpen, "ours"],
] as const) {
  const orders = (["ours", "theirs"] as const).flatMap((first) =>
    ([undefined, "us", "peer"] as const).map((after) => ({ first, after })),
  );
  for (const { first, after } of orders) {
    const before =
      after === undefined ? "" : `after a session whose connection was ${after === "us" ? "ours" : "theirs"}, `;
    test(`${before}the peer's identifier is ${identifier}, its OPEN comes over ${first} first: ${stays} stays (RFC 4271 section 6.8)`, async () => {
      const made = await bothOpen(after);
      const { session, clock, told } = made;
      const [winner, loser] = stays === "ours" ? [made.ours, made.theirs] : [made.theirs, made.ours];
      const order = first === "ours" ? [made.ours, made.theirs] : [made.theirs, made.ours];
      order[0]?.send(open, peerOpen);
      await clock.advance(0);
      assert.deepEqual(
        [made.ours.closed, made.theirs.closed],
        [false, false],
        "both are kept until both have the OPEN",
      );
      order[1]?.send(open, peerOpen);
      await clock.advance(0);
      assert.deepEqual(loser.take(), collided);
      assert.equal(loser.closed, true);
      assert.equal(session.state, "OpenConfirm");
      winner.send(keepalive, none);
      await clock.advance(0);
      assert.equal(session.state, "Established");
      assert.deepEqual(told, ["established"]);
      winner.send(update, Buffer.from("00000006800f03001946", "hex"));
      loser.close();
      await clock.advance(5000);
      assert.deepEqual(told, ["established", "update"]);
      assert.deepEqual([winner.take(), winner.closed], [[], false]);
      assert.equal(made.peers.connections.length, 1, "nobody tries again");
    });
  }
}

test("what loses at its OPEN gets the NOTIFICATION alone: after a KEEPALIVE the peer would have it Established", async () => {
  const { ours, theirs, clock } = await bothOpen();
  ours.send(open, lowerOpen);
  await clock.advance(0);
  theirs.send(open, lowerOpen);
  await clock.advance(0);
  assert.deepEqual(theirs.takeAll(), collided);
});

test("a connection over which the peer says nothing does not end one that works", async () => {
  const { session, ours, theirs, clock } = await bothOpen();
  theirs.send(open, lowerOpen);
  theirs.send(keepalive, none);
  await clock.advance(999);
  assert.deepEqual([theirs.takeAll(), session.state], [[], "OpenConfirm"], "ours would stay if the peer spoke there");
  await clock.advance(1);
  assert.deepEqual([theirs.takeAll(), session.state], [["04"], "Established"]);
  assert.deepEqual(ours.take(), collided);
  assert.equal(ours.closed, true);
});

test("what would lose sends no KEEPALIVE before the other connection has had time: the peer cannot have it Established", async () => {
  const { session, ours, theirs, clock, told } = await bothOpen();
  theirs.send(open, lowerOpen);
  theirs.send(keepalive, none);
  await clock.advance(500);
  assert.deepEqual(theirs.takeAll(), []);
  ours.send(open, lowerOpen);
  ours.send(keepalive, none);
  await clock.advance(0);
  assert.deepEqual([theirs.takeAll(), ours.takeAll()], [collided, ["04"]]);
  await clock.advance(2000);
  assert.deepEqual([session.state, told], ["Established", ["established"]]);
});

test("Established wins over a newcomer, which is told so and reads no OPEN", async () => {
  const { session, clock, told, incoming, peers } = setting();
  session.start();
  await clock.advance(0);
  peers.last.send(open, higherOpen);
  peers.last.send(keepalive, none);
  await clock.advance(0);
  const newcomer = incoming();
  await clock.advance(0);
  assert.deepEqual(newcomer.take(), collided);
  assert.equal(newcomer.closed, true);
  assert.deepEqual([session.state, peers.last.closed, told], ["Established", false, ["established"]]);
});

test("where the peer alone connects, its connection is the session, and after its end we try ourselves", async () => {
  const { session, clock, told, incoming, peers } = setting();
  peers.accepting = false;
  session.start();
  await clock.advance(0);
  assert.equal(session.state, "Active");
  const theirs = incoming();
  theirs.send(open, higherOpen);
  theirs.send(keepalive, none);
  await clock.advance(0);
  assert.equal(session.state, "Established");
  await clock.advance(5000);
  assert.equal(peers.connections.length, 0, "no attempt beside a session");
  theirs.send(notification, Buffer.from("0606", "hex"));
  peers.accepting = true;
  await clock.advance(5000);
  assert.deepEqual(told, ["established", "lost true"]);
  assert.equal(peers.connections.length, 1);
  assert.match(peers.last.take()[0] ?? "", /4006407800194680/, "our OPEN says that forwarding went on");
});

test("a connection of the peer that ends early leaves our own alone", async () => {
  for (const end of ["closes", "is refused"] as const) {
    const { session, ours, theirs, clock } = await bothOpen();
    if (end === "closes") theirs.close();
    else theirs.send(notification, Buffer.from("0605", "hex"));
    await clock.advance(0);
    assert.equal(session.state, "OpenSent");
    ours.send(open, higherOpen);
    ours.send(keepalive, none);
    await clock.advance(0);
    assert.equal(session.state, "Established", end);
  }
});

test("after Connection Collision Resolution from the peer the other connection goes on", async () => {
  const { session, ours, theirs, clock, peers } = await bothOpen();
  ours.send(notification, Buffer.from("0607", "hex"));
  theirs.send(open, higherOpen);
  theirs.send(keepalive, none);
  await clock.advance(5000);
  assert.equal(session.state, "Established");
  assert.equal(peers.connections.length, 1);
});

test("a peer that connects once more, having forgotten its first connection, is heard over the new one", async () => {
  const { session, theirs, clock, incoming } = await bothOpen();
  const again = incoming();
  await clock.advance(0);
  assert.deepEqual(theirs.take(), collided);
  again.send(open, higherOpen);
  again.send(keepalive, none);
  await clock.advance(0);
  assert.equal(session.state, "Established");
});

test("while a peer is left alone after a fault, its connections are closed without a word (RFC 4271 section 8.2.2)", async () => {
  const { session, clock, incoming, peers } = setting();
  session.start();
  await clock.advance(0);
  peers.last.send(notification, Buffer.from("0602", "hex"));
  await clock.advance(0);
  assert.equal(session.state, "Idle");
  const theirs = incoming();
  await clock.advance(0);
  assert.deepEqual([theirs.take(), theirs.closed], [[], true]);
});

test("the end of a session ends both connections with the same words, and nobody is let in after it", async () => {
  const { session, ours, theirs, clock, incoming } = await bothOpen();
  void session.stop({ errorCode: { code: 6, subcode: 3 }, data: none });
  await clock.advance(0);
  assert.deepEqual([ours.take(), theirs.take()], [["030603"], ["030603"]]);
  const late = incoming();
  await clock.advance(0);
  assert.deepEqual([late.take(), late.closed], [[], true]);
});

test("two connections that both stall end after the hold time for an OPEN, and the next attempt is ours", async () => {
  const { session, ours, theirs, clock, peers } = await bothOpen();
  await clock.advance(240_000);
  assert.deepEqual([ours.take(), theirs.take()], [["030400"], ["030400"]]);
  await clock.advance(5000);
  assert.equal(peers.connections.length, 2);
  assert.equal(session.state, "OpenSent");
});
