import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ClaimObservation } from "../../../../agent-image/agent/addresses/claim.js";
import { ClaimFollower, type ClaimSource } from "../../../../agent-image/agent/core/claim-follower.js";
import type { NodeFacts, NodePlan } from "../../../../model/index.js";

let stateDirectory: string;
before(async () => {
  stateDirectory = await mkdtemp(join(tmpdir(), "vlan-router-claims-"));
});
after(() => rm(stateDirectory, { recursive: true }));

const device = "vxlan228";
const facts = { addresses: [], links: [{ name: device, mac: "02:e4:0a:00:07:0b" }] } as unknown as NodeFacts;
const plan = {
  networks: [{ network: "edge", link: { name: "vxlan228" }, announcements: [{ prefix: "203.0.113.0/24" }] }],
  unplanned: [],
} as unknown as NodePlan;
const claimed: ClaimObservation = {
  claims: [{ service: "default/echo", node: "n1", object: "l2-a", statedAt: "2026-01-01T10:00:00Z", interfaces: [] }],
  services: new Map([["default/echo", ["203.0.113.10"]]]),
};

/** A cluster that says `seen` and answered last `age` milliseconds ago. */
function cluster(seen: ClaimObservation, age = 0): ClaimSource {
  return { claims: () => seen, problem: () => undefined, lastContact: () => performance.now() - age };
}

function open(source?: ClaimSource, restarted = true, onDue: () => void = () => undefined): Promise<ClaimFollower> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return ClaimFollower.open({
    nodeName: "n1",
    stateDirectory,
    restarted,
    ...(source === undefined ? {} : { source }),
    onDue,
    log,
  });
}

const nothing = new Map();
const mine = [
  {
    network: "edge",
    address: "203.0.113.10",
    source: { kind: "metallb", service: "default/echo", elsewhere: false },
  },
] as const;

test("before the API server was read a new node knows of nothing, and says that this is not all", async () => {
  const follower = await open(cluster({}));
  assert.deepEqual(follower.owned(facts, plan), {
    owned: [],
    confirmed: true,
    repeated: false,
    complete: false,
    notices: nothing,
  });
  await follower.close();
});

test("a claim outlives the process: the next one has it before it hears from the API server", async () => {
  const first = await open(cluster(claimed));
  assert.deepEqual(first.owned(facts, plan), {
    owned: mine,
    confirmed: true,
    repeated: false,
    complete: true,
    notices: nothing,
  });
  await first.close();
  const second = await open(cluster({}));
  assert.deepEqual(second.owned(facts, plan), {
    owned: mine,
    confirmed: true,
    repeated: false,
    complete: true,
    notices: nothing,
  });
  await second.close();
});

test("after a boot kept claims do not count: the address may have moved meanwhile", async () => {
  const before = await open(cluster(claimed));
  before.owned(facts, plan);
  await before.close();
  const booted = await open(cluster({}), false);
  assert.deepEqual(booted.owned(facts, plan), {
    owned: [],
    confirmed: true,
    repeated: false,
    complete: false,
    notices: nothing,
  });
  await booted.close();
  const refilled = await open(cluster(claimed));
  refilled.owned(facts, plan);
  await refilled.close();
});

test("a minute without an answer leaves ownership as it is, but unconfirmed", async () => {
  const within = await open(cluster({}, 59_000));
  assert.equal(within.owned(facts, plan).confirmed, true);
  const beyond = await open(cluster({}, 61_000));
  assert.deepEqual(beyond.owned(facts, plan), {
    owned: mine,
    confirmed: false,
    repeated: false,
    complete: true,
    notices: nothing,
  });
  await within.close();
  await beyond.close();
});

test("without Kubernetes kept claims do not count, and nothing needs to be confirmed", async () => {
  const follower = await open();
  assert.deepEqual(follower.owned(facts, plan), {
    owned: [],
    confirmed: true,
    repeated: false,
    complete: true,
    notices: nothing,
  });
  await follower.close();
});

test("a clock that is set moves nothing, and what was counted is not kept", async (t) => {
  const speakers = [{ uid: "pod-1", node: "n1", ready: false, repeats: false }];
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-01T10:00:00Z") });
  const follower = await open(cluster({ ...claimed, speakers }));
  assert.deepEqual(follower.owned(facts, plan).owned, mine);
  t.mock.timers.setTime(Date.parse("2038-01-19T03:14:08Z"));
  assert.deepEqual(follower.owned(facts, plan).owned, mine);
  await follower.close();
  const next = await open(cluster({}));
  assert.deepEqual(next.owned(facts, plan).owned, mine);
  await next.close();
});

test("the minute ends on time, not with the next thing that happens", async () => {
  const woken = Promise.withResolvers<void>();
  const follower = await open(cluster(claimed, 59_900), true, () => woken.resolve());
  assert.equal(follower.owned(facts, plan).confirmed, true);
  await woken.promise;
  await follower.close();
});

const foreign = { operation: "reply", mac: "02:00:00:00:00:66", address: "203.0.113.10" } as const;

test("while the API server answers, who sends ARP for an address does not get it", async () => {
  const follower = await open(cluster(claimed));
  follower.owned(facts, plan);
  follower.hear(device, foreign);
  assert.deepEqual(follower.owned(facts, plan).owned, mine);
  await follower.close();
});

test("while it does not, whoever speaks for an address has taken it, until the API server answers again", async () => {
  let age = 61_000;
  const source: ClaimSource = { ...cluster(claimed), lastContact: () => performance.now() - age };
  let due = 0;
  const follower = await open(source, true, () => {
    due += 1;
  });
  follower.owned(facts, plan);
  follower.hear(device, { ...foreign, mac: "02:e4:0a:00:07:0b" });
  follower.hear("eth0", foreign);
  follower.hear(device, { ...foreign, address: "0.0.0.0" });
  assert.deepEqual([follower.owned(facts, plan).owned, due], [mine, 0]);
  follower.hear(device, foreign);
  follower.hear(device, foreign);
  const { owned, notices } = follower.owned(facts, plan);
  assert.deepEqual([owned, due], [[], 1]);
  const [told] = notices.get("edge") ?? [];
  assert.equal(told?.reason, "AddressTaken");
  assert.match(told?.message ?? "", /^203\.0\.113\.10 by 02:00:00:00:00:66 on vxlan228: another host has taken/);
  age = 0;
  assert.deepEqual(follower.owned(facts, plan).owned, mine);
  await follower.close();
});

test("whether MetalLB repeats announcements is asked of this node's speaker alone", async () => {
  const speaker = (node: string, repeats: boolean) => ({ uid: `pod-${node}`, node, ready: true, repeats });
  const repeated: boolean[] = [];
  for (const mineRepeats of [true, false]) {
    const speakers = [speaker("n1", mineRepeats), speaker("n2", !mineRepeats)];
    const follower = await open(cluster({ ...claimed, speakers }));
    repeated.push(follower.owned(facts, plan).repeated);
    await follower.close();
  }
  assert.deepEqual(repeated, [true, false]);
});
