import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandFailure, type CommandRunner } from "../../../../agent-image/agent/kernel/command-runner.js";
import { KernelReconciler } from "../../../../agent-image/agent/kernel/kernel-reconciler.js";
import type { NodePlan } from "../../../../model/index.js";
import { FakeClock } from "./fake-clock.js";

const plan: NodePlan = {
  networks: [
    {
      network: "public",
      link: { kind: "vlan", name: "vlan220", alias: "vlan-router:public", parent: "bond0", id: 220, mtu: 1500 },
      routes: [{ family: 4, table: 220, destination: "198.51.100.0/24", device: "vlan220", onlink: false }],
      rules: [{ family: 4, priority: 4016, from: "198.51.100.0/24", action: { kind: "lookup", table: 220 } }],
      sysctls: [],
      filter: { device: "vlan220", prefixes: ["198.51.100.0/24"], markDirection: "reply", segmentFilter: true },
      flood: [],
      announcements: [],
    },
  ],
  unplanned: [],
};

/** An empty kernel that refuses every nft rule set. */
function kernelWithoutNft(): { readonly commands: CommandRunner; readonly writes: string[] } {
  const writes: string[] = [];
  return {
    writes,
    commands: {
      async run(argv, input = "") {
        if (argv[0] === "nft" && argv.includes("list"))
          throw new CommandFailure(argv, "Error: No such file or directory");
        if (argv[0] === "nft") throw new CommandFailure(argv, "Error: Could not process rule: Operation not supported");
        if (input.startsWith("route show")) return "[]\n[]\n";
        if (argv.includes("show")) return "[]\n";
        writes.push(...input.trim().split("\n"));
        return "";
      },
    },
  };
}

/** A kernel that carries the plan but for one rule, whatever is written: somebody deletes it at once, each time. */
function kernelWithoutRule(): { readonly commands: CommandRunner; readonly writes: string[] } {
  const links =
    '[{"ifname":"vlan220","link":"bond0","flags":["UP"],"mtu":1500,"group":"118118118","ifalias":"vlan-router:public","addr_info":[],' +
    '"linkinfo":{"info_kind":"vlan","info_data":{"protocol":"802.1Q","id":220,"flags":["REORDER_HDR"]}}}]';
  const routes =
    '[{"type":"1","dst":"198.51.100.0/24","dev":"vlan220","table":"220","protocol":"118","scope":"253","flags":[]}]';
  const writes: string[] = [];
  let ruleset = "";
  let seal = "";
  return {
    writes,
    commands: {
      async run(argv, input = "") {
        if (argv[0] === "nft" && argv.includes("list")) {
          if (ruleset === "") throw new CommandFailure(argv, "Error: No such file or directory");
          return `${ruleset}${seal}`;
        }
        if (argv[0] === "nft" && argv.includes("-f")) ruleset = input;
        else if (argv[0] === "nft") seal = `\n\tchain ${argv.at(-1)} {\n\t}`;
        else if (input.startsWith("route show")) return `${routes}\n[]\n`;
        else if (argv.includes("show")) return links;
        else writes.push(input.trim());
        return "";
      },
    },
  };
}

const rule = "rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220";

test("E1: a rule that goes 20 times in a minute is then put back every 10 s, and the condition says who may do it", async () => {
  const { commands, writes } = kernelWithoutRule();
  const clock = new FakeClock();
  const programs = async () => ({ networkd: true, networkManager: false });
  const reconciler = new KernelReconciler({ commands, sysctlRoot: "/nowhere", clock, programs });
  /** One pass every 500 ms. */
  const passes = async (count: number) => {
    const results = [];
    for (let pass = 0; pass < count; pass++) {
      clock.pass(500);
      results.push(await reconciler.reconcile(plan));
    }
    return results.flatMap(({ networks }) => networks);
  };

  const [first, ...quick] = await passes(20);
  assert.deepEqual([first?.applied, first?.repaired], [[`ip -4 ${rule}`], []]);
  assert.ok(quick.every(({ repaired, conflicts }) => repaired.length === 1 && conflicts.length === 0));
  assert.equal(writes.length, 20);

  const [named, ...slow] = await passes(41);
  assert.equal(named?.conflicts[0]?.reason, "RemovedByAnotherProgram");
  assert.match(
    named?.conflicts[0]?.message ?? "",
    /^rules had .*; systemd-networkd runs: set ManageForeignRoutingPolicyRules=no/,
  );
  assert.ok(slow.every(({ conflicts, errors }) => conflicts.length === 1 && errors.length === 0));
  // 20.5 s hold two repairs at the slow pace.
  assert.deepEqual(writes.slice(21), [rule, rule]);

  clock.pass(60_000);
  const [after] = await passes(1);
  assert.deepEqual([after?.repaired, after?.conflicts], [[`ip -4 ${rule}`], []]);
});

test("no interface is made before its segment filter is loaded, but rules keep its prefix out of the main table", async () => {
  const { commands, writes } = kernelWithoutNft();
  const reconciler = new KernelReconciler({ commands, sysctlRoot: "/nowhere" });
  const { node, networks } = await reconciler.reconcile(plan);
  assert.deepEqual(node.errors, ["nft -f -: Error: Could not process rule: Operation not supported"]);
  assert.deepEqual(networks[0]?.errors, [
    "vlan220 is left as it is until the nft table is loaded: nft -f -: Error: Could not process rule: Operation not supported",
  ]);
  assert.deepEqual(writes, [rule]);
});
