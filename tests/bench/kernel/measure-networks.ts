/** Networks from nothing, and comparisons that find nothing to do; runs in a network namespace of its own. Argument: how many. */
import { writeFile } from "node:fs/promises";
import {
  isUnchanged,
  KernelReconciler,
  observe,
  SYSCTL_ROOT,
  systemCommands,
} from "../../../agent-image/agent/kernel/index.js";
import {
  diffPlan,
  type NodePlan,
  nodeFacts,
  type Operation,
  operationsOf,
  parseConfigurationFile,
  planNode,
} from "../../../model/index.js";
import { manyNetworks } from "../model/many-networks.js";
import type { Comparison, Measured } from "./measurement.js";
import { median, memorySince, residentMemory, usageOf } from "./usage.js";

const comparisonRuns = 5;

async function planOf(networks: number): Promise<NodePlan> {
  const parsed = parseConfigurationFile(manyNetworks(networks));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes.slice(0, 3)));
  return planNode(parsed.value, nodeFacts(await observe(systemCommands, SYSCTL_ROOT), "n1", {}));
}

/** The same commands by hand, as few processes as possible: interfaces, nft, sysctls, then routes and rules of each family. */
async function byHand(operations: readonly Operation[]): Promise<void> {
  const commands = operations.flatMap((operation) => (operation.kind === "ip" ? [operation.command] : []));
  const batch = (lines: readonly string[]) => lines.map((line) => `${line.replace(/^ip (?:-[46] )?/, "")}\n`).join("");
  const ofFamily = (family: 4 | 6) => commands.filter((command) => command.startsWith(`ip -${family} `));
  await systemCommands.run(["ip", "-batch", "-"], batch(commands.filter((command) => command.startsWith("ip link "))));
  for (const operation of operations) {
    if (operation.kind === "filter" && operation.ruleset !== undefined) {
      await systemCommands.run(["nft", "-f", "-"], operation.ruleset);
    }
    if (operation.kind === "sysctl") {
      await writeFile(`/proc/sys/${operation.sysctl.name.replaceAll(".", "/")}`, operation.sysctl.value);
    }
  }
  await systemCommands.run(["ip", "-4", "-batch", "-"], batch(ofFamily(4)));
  await systemCommands.run(["ip", "-6", "-batch", "-"], batch(ofFamily(6)));
}

/** What shows the same state to a person: the texts alone. */
async function dumps(): Promise<void> {
  await systemCommands.run(["ip", "-details", "-json", "address", "show"]);
  for (const family of ["-4", "-6"]) {
    await systemCommands.run(["ip", family, "-json", "route", "show", "table", "all"]);
    await systemCommands.run(["ip", family, "-json", "rule", "show"]);
  }
  await systemCommands.run(["nft", "--stateless", "list", "table", "inet", "vlan_router"]);
  await systemCommands.run(["bridge", "-json", "fdb", "show"]);
}

async function measure(size: number): Promise<Measured> {
  const plan = await planOf(size);
  const beforehand = residentMemory();
  const reconciler = new KernelReconciler();
  const operations = operationsOf(diffPlan(await reconciler.observe(plan), plan));

  const peerApply = await usageOf(() => byHand(operations));
  const removed = await usageOf(() => reconciler.cleanUp());
  if (removed.result.errors.length > 0) throw new Error(removed.result.errors.slice(0, 3).join("; "));

  const applied = await usageOf(() => reconciler.reconcile(plan));
  const errors = [applied.result.node, ...applied.result.networks].flatMap((outcome) => outcome.errors);
  if (errors.length > 0) throw new Error(errors.slice(0, 3).join("; "));

  const ours = [];
  const peers = [];
  for (let run = 0; run < comparisonRuns; run++) {
    const { usage, result } = await usageOf(() => reconciler.reconcile(plan));
    if (!isUnchanged(result)) throw new Error("the comparison found something to do");
    ours.push(usage);
    peers.push((await usageOf(dumps)).usage);
  }
  const repairs = [];
  const additions = [];
  const [rule] = operations.flatMap((operation) =>
    operation.kind === "ip" && operation.command.startsWith("ip -4 rule add ") ? [operation.command] : [],
  );
  if (rule === undefined) throw new Error("the plan has no rule");
  for (let run = 0; run < comparisonRuns; run++) {
    const remove = () => systemCommands.run(rule.replace(" add ", " del ").split(" "));
    await remove();
    repairs.push((await usageOf(() => reconciler.reconcile(plan))).usage);
    await remove();
    additions.push((await usageOf(() => systemCommands.run(rule.split(" ")))).usage);
  }
  const comparisons: readonly Comparison[] = [
    { size, work: "apply from nothing", ours: applied.usage, peer: peerApply.usage, by: "`ip -batch`, `nft -f`" },
    {
      size,
      work: "compare, nothing to do",
      ours: median(ours),
      peer: median(peers),
      by: "`ip -j`, `bridge -j`, `nft list`",
    },
    { size, work: "find and put back one rule", ours: median(repairs), peer: median(additions), by: "`ip rule add`" },
  ];
  return { comparisons, memory: memorySince(size, beforehand) };
}

measure(Number(process.argv[2])).then((measured) => process.stdout.write(`${JSON.stringify(measured)}\n`));
