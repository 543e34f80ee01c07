import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FollowedNode } from "./followed-node.js";

/** As many as a router has that takes a large part of the Internet's table. */
const count = 50_000;

/**
 * Milliseconds. A repair shall stand within a second of its event, and what each one took is printed; the bound leaves room for a
 * machine that runs other tests.
 */
const longestRepair = 3_000;

/** Milliseconds. */
const settled = 1_500;

const routes = Array.from(
  { length: count },
  (_, index) => `route add 100.${64 + (index >> 16)}.${(index >> 8) & 0xff}.${index & 0xff}/32 via 10.0.7.9 dev eth0`,
);

describe(`beside ${count} routes of others in the main table`, () => {
  let followed: FollowedNode;
  before(async () => {
    followed = await FollowedNode.start(routes);
  });
  after(() => followed?.end());

  it("sees what others have in our table, and their default routes, as it does beside few", async () => {
    const others = ["198.51.100.0/24 dev eth0 table 228", "unreachable default table 4242"];
    await followed.node.ip("n1", ...others.map((route) => `route add ${route}`));
    const { routes: seen, defaultRoutes } = await followed.reconciler.observe();
    assert.deepEqual(
      seen
        .map(({ family, table, destination, protocol }) => `${family} ${table} ${destination} ${protocol}`)
        .toSorted(),
      [
        "4 228 198.51.100.0/24 3",
        "4 228 203.0.113.0/24 118",
        "4 228 default 118",
        "6 228 2001:db8:228::/64 118",
        "6 228 default 118",
      ],
    );
    assert.deepEqual((defaultRoutes ?? []).map(({ family, table }) => `${family} ${table}`).toSorted(), [
      "4 228",
      "4 254",
      "4 4242",
      "6 228",
    ]);
    await followed.node.ip("n1", ...others.map((route) => `route del ${route}`));
  });

  for (const command of [
    "ip rule del priority 4016",
    "ip route del default table 228",
    "ip link del vxlan228",
    "ip link set vxlan228 down",
  ]) {
    it(`comes back: ${command}`, async () => {
      // The pass that looks at our own repair, and the rest after it, belong to the repair before.
      await sleep(settled);
      const took = await followed.repairAfter(command);
      console.log(`${command}: back ${took.toFixed(0)} ms after the command was started`);
      assert.ok(took < longestRepair, `${took} ms`);
    });
  }
});
