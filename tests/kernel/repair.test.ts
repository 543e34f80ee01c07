import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration, startNode } from "./base-node.js";
import { type KernelState, kernelState } from "./kernel-state.js";
import { RemoteReconciler } from "./remote-reconciler.js";

/** What a user of the network would accept; facts say that a rule must be back within a second. */
const REPAIR_MS = 1_000;

/** The monitors' sockets are open some milliseconds after the programs start. */
const MONITORS_START_MS = 500;

const damages: readonly { readonly what: string; readonly command: string }[] = [
  { what: "the source rule", command: "ip rule del priority 4016" },
  { what: "its guard", command: "ip rule del priority 4017" },
  { what: "the mark rule", command: "ip rule del priority 3900" },
  { what: "one exception", command: "ip rule del priority 3000 from 203.0.113.0/24 to 10.244.0.0/16" },
  { what: "all rules of our protocol", command: "ip rule flush protocol 118" },
  { what: "the default route", command: "ip route del default table 228" },
  { what: "the connected route", command: "ip route flush table 228" },
  {
    what: "the gateway of the default route",
    command: "ip route replace default via 203.0.113.9 dev vxlan228 table 228 protocol 118",
  },
  { what: "the nft table", command: "nft delete table inet vlan_router" },
  { what: "a rule of the nft table", command: "nft flush chain inet vlan_router forward" },
  { what: "the whole nft rule set", command: "nft flush ruleset" },
  { what: "rp_filter of our interface", command: "sysctl -q -w net.ipv4.conf.vxlan228.rp_filter=2" },
  { what: "the MTU", command: "ip link set vxlan228 mtu 1400" },
  { what: "the interface's state (set down)", command: "ip link set vxlan228 down" },
  { what: "the routes, by a flap of the interface", command: "ip link set vxlan228 down; ip link set vxlan228 up" },
  { what: "the interface", command: "ip link del vxlan228" },
  { what: "a forwarding entry", command: "bridge fdb del 02:00:00:00:00:19 dev vxlan228 dst 10.0.7.19" },
  { what: "the flood list", command: "bridge fdb del 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.20" },
];

describe("what somebody deletes or changes is put back within a second", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;
  let carried: Readonly<Record<string, unknown>>;

  const state = async () => ({
    ...comparable(await kernelState(node, "n1")),
    forwarding: (await node.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan228"])).stdout,
    rpFilter: (await node.exec("n1", ["sysctl", "net.ipv4.conf.vxlan228.rp_filter"])).stdout,
  });

  before(async () => {
    node = await startNode();
    reconciler = RemoteReconciler.start(node, "n1");
    const plan: NodePlan = await reconciler.plan(configuration(baseYaml));
    await reconciler.reconcile(plan);
    const applied = await reconciler.applyForwarding("vxlan228", {
      flood: ["10.0.7.19", "10.0.7.20"],
      hosts: [{ mac: "02:00:00:00:00:19", vtep: "10.0.7.19" }],
      neighbours: [],
    });
    assert.deepEqual(applied.errors, []);
    carried = await state();
    await reconciler.follow(plan);
    await delay(MONITORS_START_MS);
  });
  after(async () => {
    await reconciler?.end();
    await node?.end();
  });

  for (const { what, command } of damages) {
    it(what, async () => {
      const repairsBefore = (await reconciler.repairs()).length;
      const start = Date.now();
      await node.exec("n1", ["sh", "-c", command]);
      // A look at the kernel alone would not do: the state may be back before the first look.
      await waitFor("a repair", async () => (await reconciler.repairs()).length > repairsBefore, { timeout: 3_000 });
      await waitFor("the state as before", async () => same(await state(), carried), { timeout: 3_000 }).catch(
        async (error: Error) => assert.deepEqual(await state(), carried, error.message),
      );
      const repairs = (await reconciler.repairs()).slice(repairsBefore);
      const took = Math.max(...repairs.map(({ at }) => at)) - start;
      console.log(
        `${what}: back ${took} ms after the command was started (${repairs.flatMap(({ commands }) => commands).length} commands)`,
      );
      assert.ok(took < REPAIR_MS, `${took} ms`);
    });
  }

  it("also what was deleted while the monitors were dead", async () => {
    const repairsBefore = (await reconciler.repairs()).length;
    const monitors = `for pid in $(ip netns pids n1); do grep -qa monitor /proc/$pid/cmdline && echo $pid; done`;
    const { stdout } = await node.exec("admin", ["sh", "-c", `${monitors}; true`]);
    const pids = stdout.trim().split("\n");
    assert.equal(pids.length, 3, "ip, bridge and nft");
    await node.exec("admin", ["kill", "-KILL", ...pids]);
    await node.exec("n1", ["ip", "rule", "del", "priority", "4016"]);
    await waitFor("a repair", async () => (await reconciler.repairs()).length > repairsBefore, { timeout: 5_000 });
    assert.deepEqual(await state(), carried);
    // The successors of the monitors do their work as well.
    const { stdout: successors } = await waitFor(
      "new monitors",
      async () => {
        const found = await node.exec("admin", ["sh", "-c", `${monitors}; true`]);
        return found.stdout.trim().split("\n").length === 3 && found;
      },
      { timeout: 5_000 },
    );
    assert.ok(pids.every((pid) => !successors.split("\n").includes(pid)));
  });
});

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** A new interface has a new index, and a rule that was put back stands last among those of its priority. */
function comparable(state: KernelState): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(state).map(([command, text]) => [
      command,
      command.endsWith("rule") ? text.split("\n").toSorted() : text.replace(/"ifindex":\d+,/g, ""),
    ]),
  );
}
