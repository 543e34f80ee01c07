import assert from "node:assert/strict";
import { test } from "node:test";
import { EventBudget } from "../../../../agent-image/agent/cluster/event-budget.js";
import { EventWriter } from "../../../../agent-image/agent/cluster/event-writer.js";
import type { Condition, RouterNodeStatus } from "../../../../model/index.js";

const condition = (type: string, status: Condition["status"], reason: string, message: string): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const applied = condition("Applied", "True", "Applied", "the revision stands");
const failed = condition("Applied", "False", "ReconcileFailed", "ip: refused");
const sessions = (up: boolean) =>
  condition("SessionsEstablished", up ? "True" : "False", up ? "Established" : "PeerDown", "10.0.7.19");
const notice = condition("ForeignRoute", "True", "ForeignRoute", "a route of another program");

function status(...conditions: readonly Condition[]): RouterNodeStatus {
  return {
    agent: { version: "0.1.0", image: "" },
    heartbeatTime: "2026-01-01T00:00:00Z",
    networks: [
      {
        name: "customers",
        uid: "uid-network",
        revision: "r1",
        interface: { name: "vxlan228", state: "up" },
        tables: [228],
        sessions: [],
        addresses: [],
        conditions,
        drift: [],
        repairs: 0,
      },
    ],
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

function setting(nodeUid?: string) {
  const calls: Call[] = [];
  const state = { now: 0 };
  const errors: string[] = [];
  const client = {
    request: async <Result>(call: unknown): Promise<Result> => {
      calls.push(call as Call);
      if (errors.length > 0) throw new Error(errors[0]);
      return {} as Result;
    },
  };
  const failures: string[] = [];
  const writer = new EventWriter({
    client,
    nodeName: "n1",
    nodeUid: () => nodeUid,
    onError: ({ message }) => failures.push(message),
    now: () => state.now,
  });
  return { writer, calls, state, errors, failures };
}

const short = ({ method, body }: Call) => {
  const involved = body.involvedObject as { kind: string; name: string; uid: string } | undefined;
  return [method, involved?.kind, body.type, body.reason, body.message, body.count];
};

test("a change is told of the network and of the node, each named to the other; the first status is not", async () => {
  const { writer, calls } = setting("uid-node");
  writer.set(status(applied, sessions(true)));
  writer.set(status(applied, sessions(true)));
  await writer.close();
  assert.equal(calls.length, 0);
  writer.set(status(failed, sessions(true)));
  await writer.close();
  assert.deepEqual(calls.map(short), [
    ["POST", "RouterNode", "Warning", "ReconcileFailed", "customers: ip: refused", 1],
    ["POST", "PublicNetwork", "Warning", "ReconcileFailed", "n1: ip: refused", 1],
  ]);
  assert.equal(calls[0]?.path, "/api/v1/namespaces/default/events");
  assert.deepEqual(calls[0]?.body.involvedObject, {
    apiVersion: "vlan-router.io/v1alpha1",
    kind: "RouterNode",
    name: "n1",
    uid: "uid-node",
  });
  assert.deepEqual(calls[0]?.body.source, { component: "vlan-router-agent", host: "n1" });
});

test("what comes is a warning where it names a fault, and what goes is told too", async () => {
  const { writer, calls } = setting();
  writer.set(status(failed));
  writer.set(status(applied, notice, sessions(false)));
  writer.set(status(applied, sessions(true)));
  await writer.close();
  assert.deepEqual(calls.map(short), [
    ["POST", "PublicNetwork", "Normal", "Applied", "n1: the revision stands", 1],
    ["POST", "PublicNetwork", "Warning", "ForeignRoute", "n1: a route of another program", 1],
    ["POST", "PublicNetwork", "Warning", "PeerDown", "n1: 10.0.7.19", 1],
    ["POST", "PublicNetwork", "Normal", "Established", "n1: 10.0.7.19", 1],
    ["POST", "PublicNetwork", "Normal", "ForeignRouteEnded", "n1: ForeignRoute does not hold any more", 1],
  ]);
});

test("the same again within half an hour counts up; later it is an event of its own", async () => {
  const { writer, calls, state } = setting();
  const flap = () => {
    writer.set(status(applied, notice));
    writer.set(status(applied));
  };
  writer.set(status(applied));
  flap();
  state.now = 60_000;
  flap();
  state.now = 31 * 60_000;
  flap();
  await writer.close();
  const ofNotice = calls.filter(({ body }) => String(body.message).includes("of another program"));
  assert.deepEqual(
    ofNotice.map(({ method, body }) => [method, body.count]),
    [
      ["POST", 1],
      ["PATCH", 2],
      ["POST", 1],
    ],
  );
  const names = ofNotice.map(({ path, body }) => (body.metadata as { name: string } | undefined)?.name ?? path);
  assert.equal(names[1], `/api/v1/namespaces/default/events/${names[0]}`);
  assert.notEqual(names[2], names[0]);
});

test("ten at once, then one in ten seconds", () => {
  const budget = new EventBudget(0);
  const takes = (count: number, now: number) =>
    Array.from({ length: count }, () => budget.take(now)).filter(Boolean).length;
  assert.equal(takes(50, 0), 10);
  assert.equal(takes(5, 9_999), 0);
  assert.equal(takes(5, 10_000), 1);
  assert.equal(takes(5, 35_000), 2);
  assert.equal(takes(50, 3_600_000), 10);
});

test("events that are refused are told of once and stop nothing", async () => {
  const { writer, calls, errors, failures } = setting();
  errors.push("403 forbidden");
  writer.set(status(applied));
  writer.set(status(failed));
  writer.set(status(applied));
  await writer.close();
  assert.deepEqual(failures, ["403 forbidden"]);
  errors.length = 0;
  writer.set(status(failed));
  await writer.close();
  // One that is not there cannot be counted up.
  assert.deepEqual(calls.map(short), [
    ["POST", "PublicNetwork", "Warning", "ReconcileFailed", "n1: ip: refused", 1],
    ["POST", "PublicNetwork", "Normal", "Applied", "n1: the revision stands", 1],
    ["POST", "PublicNetwork", "Warning", "ReconcileFailed", "n1: ip: refused", 1],
  ]);
});

test("no message is longer than the API server takes", async () => {
  const { writer, calls } = setting();
  writer.set(status(applied));
  writer.set(status(condition("Applied", "False", "ReconcileFailed", "x".repeat(5_000))));
  await writer.close();
  assert.equal(String(calls[0]?.body.message).length, 1_024);
});
