import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiCall } from "../../../../agent-image/agent/cluster/api-client.js";
import { StatusWriter } from "../../../../agent-image/agent/cluster/status-writer.js";
import { waitFor } from "../../../../lab/processes/index.js";
import type { Condition, RouterNodeStatus } from "../../../../model/index.js";

const heartbeatTime = "2026-01-01T10:00:00Z";
const bridgeInUse: Condition = {
  type: "BridgeInUse",
  status: "True",
  reason: "BridgeInUse",
  message: "br228 stays",
  lastTransitionTime: heartbeatTime,
};

test("a condition of the node that ended is taken out of the object, which a merge patch does by null alone", async (context) => {
  const bodies: unknown[] = [];
  const request = async <Answer>({ body }: ApiCall): Promise<Answer> => {
    bodies.push(body);
    return {} as Answer;
  };
  const errors: Error[] = [];
  const writer = new StatusWriter({ client: { request }, nodeName: "n1", onError: (error) => errors.push(error) });
  context.after(() => writer.close());
  const status: RouterNodeStatus = { agent: { version: "0.1.0", image: "agent:1" }, heartbeatTime, networks: [] };
  writer.set({ ...status, conditions: [bridgeInUse] });
  await waitFor("the first write", async () => bodies.length === 1, { timeout: 5_000, interval: 20 });
  writer.set(status);
  await waitFor("the second write", async () => bodies.length === 2, { timeout: 5_000, interval: 20 });
  const agent = { version: "0.1.0", image: "agent:1" };
  assert.deepEqual(bodies, [
    { status: { agent, heartbeatTime, conditions: [bridgeInUse], networks: [] } },
    { status: { agent, heartbeatTime, conditions: null, networks: [] } },
  ]);
  assert.deepEqual(errors, []);
});
