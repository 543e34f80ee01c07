import type { Lab } from "../lab.js";
import { type NodeName, nodeNames } from "../topology.js";

/** A node's links, routes, rules and nft rule set, without counters, handles and clocks, so that two can be compared. */
export interface KernelSnapshot {
  readonly links: readonly unknown[];
  readonly routes: readonly unknown[];
  readonly rules: readonly unknown[];
  readonly nft: readonly unknown[];
}

const COMMANDS = {
  links: [["ip", "-d", "-j", "link"]],
  routes: [
    ["ip", "-j", "-4", "route", "show", "table", "all"],
    ["ip", "-j", "-6", "route", "show", "table", "all"],
  ],
  rules: [
    ["ip", "-j", "-4", "rule"],
    ["ip", "-j", "-6", "rule"],
  ],
} as const;

/** What changes by itself: counters, object handles, timers of learnt routes and of bridges. */
const VOLATILE = new Set([
  "packets",
  "bytes",
  "handle",
  "expires",
  "gc_timer",
  "hello_timer",
  "tcn_timer",
  "topology_change_timer",
]);

export async function kernelSnapshot(lab: Lab, node: NodeName): Promise<KernelSnapshot> {
  const read = async (argv: readonly string[]): Promise<unknown[]> => {
    const { stdout } = await lab.exec(node, argv);
    return stdout.trim() === "" ? [] : (JSON.parse(stdout) as unknown[]);
  };
  const all = async (commands: readonly (readonly string[])[]) =>
    sorted((await Promise.all(commands.map(read))).flat());
  const { stdout } = await lab.exec(node, ["nft", "-j", "list", "ruleset"]);
  const { nftables } = JSON.parse(stdout) as { readonly nftables: readonly Readonly<Record<string, unknown>>[] };
  return {
    links: await all(COMMANDS.links),
    routes: await all(COMMANDS.routes),
    rules: await all(COMMANDS.rules),
    // The first entry names nft's own version; the order of tables is the order in which they were made.
    nft: sorted(nftables.filter((entry) => !("metainfo" in entry))),
  };
}

/** Of every node, by its name. */
export async function kernelSnapshots(lab: Lab): Promise<Readonly<Record<string, KernelSnapshot>>> {
  return Object.fromEntries(
    await Promise.all(nodeNames.map(async (node) => [node, await kernelSnapshot(lab, node)] as const)),
  );
}

function sorted(entries: readonly unknown[]): readonly unknown[] {
  return entries.map(withoutVolatile).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (VOLATILE.has(key) ? [] : [[key, withoutVolatile(inner)]])),
  );
}
