import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiCall, type ApiClient, ApiError } from "../../../../agent-image/agent/cluster/api-client.js";
import { Collection } from "../../../../agent-image/agent/cluster/collection.js";

/** An API server with one node, whose watches end as a test says. Counts requests. */
function server(watch: () => void) {
  const counts = { lists: 0, watches: 0 };
  const client = {
    request: async () => {
      counts.lists += 1;
      return { metadata: { resourceVersion: "1" }, items: [{ metadata: { name: "n1" } }] };
    },
    watch: async function* () {
      counts.watches += 1;
      watch();
      yield* [];
    },
  } as unknown as ApiClient;
  return { client, counts };
}

const path = "/api/v1/nodes";
const forbidden: ApiCall = { method: "GET", path };

for (const [what, watch] of [
  ["ends at once", () => undefined],
  [
    "is refused",
    () => {
      throw new ApiError(403, forbidden, "forbidden");
    },
  ],
] as const) {
  test(`a watch that ${what} is tried again ever more seldom`, async () => {
    const { client, counts } = server(watch);
    const collection = new Collection({ client, path, onChange: () => undefined });
    // Waits of 0.5, 1 and 2 s: three tries fit, and on a slow machine fewer.
    await sleep(3_300);
    collection.close();
    assert.deepEqual(
      collection.items?.map(({ metadata }) => metadata.name),
      ["n1"],
    );
    assert.ok(counts.watches >= 1 && counts.watches <= 3, `${counts.watches} watches`);
    assert.ok(counts.lists <= 3, `${counts.lists} lists`);
  });
}
