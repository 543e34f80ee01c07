import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { type ApiCall, type ApiClient, ApiError } from "../../../../agent-image/agent/cluster/api-client.js";
import { LeaseElector } from "../../../../agent-image/agent/cluster/lease-elector.js";

/** An API server with one Lease, whose answers can be held back. */
class Leases {
  readonly calls: string[] = [];
  lease: { metadata: { resourceVersion: string }; spec: { holderIdentity?: string } } | undefined;
  hold: Promise<void> = Promise.resolve();

  readonly client = {
    request: async (call: ApiCall) => {
      await this.hold;
      this.calls.push(call.method);
      if (call.method !== "GET") {
        const version = String(Number(this.lease?.metadata.resourceVersion ?? 0) + 1);
        this.lease = {
          ...(call.body as { spec: { holderIdentity?: string } }),
          metadata: { resourceVersion: version },
        };
      }
      if (this.lease === undefined) {
        throw new ApiError(404, call, "not found");
      }
      return this.lease;
    },
  } as unknown as ApiClient;
}

/** Monotonic milliseconds. */
let now = 0;

beforeEach(() => {
  now = 0;
  mock.method(performance, "now", () => now);
  mock.timers.enable({ apis: ["setTimeout"] });
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

/** Lets promises that need no time settle. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.resolve();
  }
}

function pass(milliseconds: number): void {
  now += milliseconds;
  mock.timers.tick(milliseconds);
}

function elect(leases: Leases): { readonly elector: LeaseElector; readonly held: () => number } {
  let count = 0;
  const elector = new LeaseElector({
    client: leases.client,
    namespace: "vlan-router",
    identity: "n1",
    onHeld: () => {
      count += 1;
    },
    onError: assert.fail,
  });
  return { elector, held: () => count };
}

test("a Lease that nobody made is made and held, and renewed every 5 s without telling again", async () => {
  const leases = new Leases();
  const { elector, held } = elect(leases);
  await settle();
  assert.deepEqual([elector.holds(), held(), leases.calls], [true, 1, ["GET", "POST"]]);
  pass(5_000);
  await settle();
  assert.deepEqual([elector.holds(), held(), leases.calls], [true, 1, ["GET", "POST", "GET", "PUT"]]);
  await elector.close();
});

test("a renewal that comes after the hold has lapsed tells that the Lease is held again", async () => {
  const leases = new Leases();
  const { elector, held } = elect(leases);
  await settle();
  let answer: () => void = assert.fail;
  leases.hold = new Promise((resolve) => {
    answer = resolve;
  });
  pass(5_000);
  pass(7_000);
  assert.equal(elector.holds(), false);
  answer();
  await settle();
  assert.deepEqual([elector.holds(), held()], [true, 2]);
  await elector.close();
});

test("giving up empties the holder, so that another agent need not wait", async () => {
  const leases = new Leases();
  const { elector } = elect(leases);
  await settle();
  await elector.close();
  assert.equal(leases.lease?.spec.holderIdentity, "");
  assert.equal(elector.holds(), false);
});
