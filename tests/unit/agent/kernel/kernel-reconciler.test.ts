import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandFailure, type CommandRunner } from "../../../../agent-image/agent/kernel/command-runner.js";
import { KernelReconciler } from "../../../../agent-image/agent/kernel/kernel-reconciler.js";
import type { NodePlan } from "../../../../model/index.js";

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

test("no interface is made before its segment filter is loaded", async () => {
  const { commands, writes } = kernelWithoutNft();
  const reconciler = new KernelReconciler({ commands, sysctlRoot: "/nowhere" });
  const { node, networks } = await reconciler.reconcile(plan);
  assert.deepEqual(node.errors, ["nft -f -: Error: Could not process rule: Operation not supported"]);
  assert.deepEqual(networks[0]?.errors, [
    "vlan220 is left as it is until the nft table is loaded: nft -f -: Error: Could not process rule: Operation not supported",
  ]);
  assert.deepEqual(writes, []);
});
