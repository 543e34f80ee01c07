import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiCall, type ApiClient, ApiError } from "../../../../agent-image/agent/cluster/api-client.js";
import { ClusterSource } from "../../../../agent-image/agent/cluster/cluster-source.js";
import { waitFor } from "../../../../lab/processes/index.js";

const claimsPath = "/apis/metallb.io/v1beta1/namespaces/metallb-system/servicel2statuses";
const eventsPath = "/api/v1/events";

const status = {
  metadata: {
    name: "l2-x7k2p",
    creationTimestamp: "2026-01-01T10:00:00Z",
    labels: { "metallb.io/node": "n1", "metallb.io/service-name": "echo", "metallb.io/service-namespace": "default" },
  },
};

/** A cluster of which each list is empty, or is what `answer` says; watches stay open until they are closed. */
function follow(answer: (call: ApiCall) => readonly object[]): ClusterSource {
  const client = {
    request: async (call: ApiCall) => ({ metadata: { resourceVersion: "1" }, items: answer(call) }),
    watch: async function* (_path: string, _query: unknown, signal: AbortSignal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield* [];
    },
  } as unknown as ApiClient;
  return new ClusterSource({
    client,
    nodeName: "n1",
    identity: "agent-n1",
    namespace: "vlan-router",
    metallbNamespace: "metallb-system",
    onChange: () => undefined,
    onError: () => undefined,
  });
}

const read = (source: ClusterSource) =>
  waitFor("all lists to be read", async () => source.claims().speakers !== undefined, { timeout: 5_000 });

test("D12: without MetalLB's definition that is told by its path, nothing is concluded, and it is found when it comes", async () => {
  let installed = false;
  const source = follow((call) => {
    if (call.path !== claimsPath) return [];
    if (!installed) throw new ApiError(404, call, "the server could not find the requested resource");
    return [status];
  });
  await read(source);
  assert.equal(source.claimProblem(), `waiting for ${claimsPath}: the API server does not serve it (yet)`);
  assert.deepEqual(source.claims().claims, []);
  installed = true;
  await waitFor("the claim", async () => source.claims().claims?.length === 1, { timeout: 10_000 });
  assert.equal(source.claimProblem(), undefined);
  await source.close();
});

test("D12: a refusal names the verb and the path, and what is refused states nothing", async () => {
  const source = follow((call) => {
    if (call.path === claimsPath) throw new ApiError(403, call, "forbidden");
    return [];
  });
  await read(source);
  assert.match(source.claimProblem() ?? "", new RegExp(`GET ${claimsPath}.*403.*grant the verbs get, list and watch`));
  assert.equal(source.claims().claims, undefined);
  await source.close();
});

test("D12: where only events are refused, MetalLB's statuses do, and the refusal is told", async () => {
  const source = follow((call) => {
    if (call.path === eventsPath) throw new ApiError(403, call, "forbidden");
    return call.path === claimsPath ? [status] : [];
  });
  await read(source);
  await waitFor("the claim", async () => source.claims().claims?.length === 1, { timeout: 5_000 });
  assert.equal(source.claims().claims?.[0]?.node, "n1");
  assert.match(source.claimProblem() ?? "", /events/);
  await source.close();
});
