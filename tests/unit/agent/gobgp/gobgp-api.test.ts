import assert from "node:assert/strict";
import { test } from "node:test";
import { GobgpApi } from "../../../../agent-image/agent/gobgp/gobgp-api.js";
import { plan228, plan240 } from "../../evpn/plan.js";
import { TestClock } from "../../evpn/scripted-peer.js";

const speaker = { plan: () => undefined, neighbours: () => [] };
const first = { network: "vxlan228", plan: plan228 };
const second = { network: "vxlan240", plan: plan240 };

function world() {
  const clock = new TestClock();
  const events: string[] = [];
  const busy = new Set<number>();
  const api = new GobgpApi({
    speaker,
    clock,
    log: () => undefined,
    onChange: () => events.push("changed"),
    start: async (port) => {
      if (busy.has(port)) throw new Error("EADDRINUSE");
      events.push(`open ${port}`);
      return { close: () => void events.push(`close ${port}`) };
    },
  });
  return { api, clock, busy, events: () => events.splice(0) };
}

const startDelay = 5_000;
const retryInterval = 30_000;

test("each network has its port, some time after the first network came", async () => {
  const { api, clock, events } = world();
  api.setNetworks([first, second]);
  await clock.advance(0);
  assert.deepEqual(events(), []);
  await clock.advance(startDelay);
  assert.deepEqual(events(), ["open 20228", "open 20240"]);
});

test("a network that goes, or gets another port, gives its port back; what stays is not touched", async () => {
  const { api, clock, events } = world();
  api.setNetworks([first, second]);
  await clock.advance(startDelay);
  events();
  api.setNetworks([first, { ...second, plan: { ...plan240, gobgpPort: 20999 } }]);
  await clock.advance(0);
  assert.deepEqual(events(), ["close 20240", "open 20999"]);
  api.setNetworks([first]);
  assert.deepEqual(events(), ["close 20999"]);
  api.close();
  assert.deepEqual(events(), ["close 20228"]);
});

test("a port that another program holds is a condition of its network alone, until it can be had", async () => {
  const { api, clock, busy, events } = world();
  busy.add(20228);
  api.setNetworks([first, second]);
  await clock.advance(startDelay);
  assert.deepEqual(events(), ["open 20240", "changed"]);
  const [[network, conditions] = []] = [...api.notices()];
  assert.equal(network, "vxlan228");
  assert.deepEqual(
    conditions?.map(({ reason }) => reason),
    ["GobgpPortNotServed"],
  );
  assert.match(conditions?.[0]?.message ?? "", /127\.0\.0\.1 port 20228 \(EADDRINUSE\).*bgp\.gobgpPort sets another/);
  assert.equal(api.notices().size, 1);
  await clock.advance(retryInterval);
  assert.deepEqual(events(), []);
  busy.clear();
  await clock.advance(retryInterval);
  assert.deepEqual(events(), ["open 20228", "changed"]);
  assert.equal(api.notices().size, 0);
});

test("a network that goes before its port is open leaves nothing open", async () => {
  const { api, clock, events } = world();
  api.setNetworks([first]);
  await clock.advance(startDelay - 1);
  api.setNetworks([]);
  await clock.advance(1);
  assert.deepEqual(events(), []);
});
