import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { BgpSession } from "../../../agent-image/agent/bgp/session/bgp-session.js";
import { MessageRate } from "../../../agent-image/agent/bgp/session/message-rate.js";
import { TestClock } from "../evpn/scripted-peer.js";
import { hex, message } from "./bytes.js";
import { frrOpenFrom } from "./frr-open.js";

function taken(rate: MessageRate, messages: number, now: number): number {
  let wait = 0;
  for (let count = 0; count < messages; count += 1) {
    wait = rate.take(now);
  }
  return wait;
}

test("two million messages come at any speed, and after that ten thousand a second for ever", () => {
  const rate = new MessageRate();
  assert.deepEqual([taken(rate, 1_499_999, 0), rate.fill(0)], [0, "fine"]);
  assert.deepEqual([taken(rate, 500_001, 0), rate.fill(0)], [0, "near the limit"]);
  assert.deepEqual([taken(rate, 10_000, 0), rate.fill(0)], [1000, "over the limit"]);
  assert.deepEqual([taken(rate, 10_000, 1000), taken(rate, 10_000, 2000)], [1000, 1000]);
  assert.equal(rate.fill(3100), "near the limit");
  assert.equal(rate.fill(60_000), "fine", "as it rests");
  assert.deepEqual([taken(rate, 2_000_000, 300_000)], [0], "and has all of it again");
});

test("a peer that sends without end is read more slowly, and its session stands", async () => {
  const clock = new TestClock();
  const [near, far] = duplexPair();
  far.resume();
  let received = 0;
  const session = new BgpSession({
    target: { local: "10.0.7.11", peer: "10.0.7.19" },
    config: { localAsn: 65001, peerAsn: 65001, routerId: "10.0.7.11", holdTime: 9, restarted: false },
    connect: () => near,
    clock,
    random: () => 0.5,
    listener: {
      stateChanged: () => undefined,
      established: () => undefined,
      lost: () => undefined,
      received: () => {
        received += 1;
      },
      failed: (error) => assert.fail(String(error)),
    },
  });
  session.start();
  near.emit("connect");
  far.write(Buffer.concat([message(1, frrOpenFrom("0a000713")), message(4, Buffer.alloc(0))]));
  const endOfRib = message(2, hex("0000 0006 800f03 001946"));
  const chunk = Buffer.concat(Array.from({ length: 1000 }, () => endOfRib));
  for (let count = 0; count < 2100; count += 1) {
    if (!far.write(chunk)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await clock.advance(0);
  assert.ok(received >= 2_000_000 && received < 2_010_000, `${received} at once`);
  assert.equal(session.messageFill, "over the limit");
  const before = received;
  for (let second = 0; second < 5; second += 1) {
    await clock.advance(1000);
  }
  assert.ok(Math.abs(received - before - 50_000) < 5000, `${received - before} in five seconds`);
  for (let second = 5; second < 12; second += 1) {
    await clock.advance(1000);
  }
  assert.deepEqual([session.state, received], ["Established", 2_100_000], "none is dropped");
});
