import { access } from "node:fs/promises";
import {
  type BridgedHost,
  type Family,
  type ForwardingEntry,
  factSysctls,
  isMarkedOurs,
  type NodePlan,
  nftFamily,
  nftTableName,
  type ObservedFilter,
  type ObservedNode,
  type ObservedState,
  observedSysctls,
  parseFilter,
} from "../../../model/index.js";
import { CommandFailure, type CommandRunner } from "./command-runner.js";
import { observeOffloads, withOffload } from "./observe-offloads.js";
import { observeRouting } from "./observe-routing.js";
import { parseBridged, parseForwarding } from "./parse-bridge.js";
import { parseAddresses, parseLinks, parseRules } from "./parse-ip.js";
import { readSysctl } from "./sysctl.js";

/** Reads what planning needs to know of the node, and no more. */
export async function observeNode(commands: CommandRunner, sysctlRoot: string): Promise<ObservedNode> {
  const ipv6 = await hasIpv6(sysctlRoot);
  const families: readonly Family[] = ipv6 ? [4, 6] : [4];
  const [interfaces, rules] = await Promise.all([
    commands.run(["ip", "-details", "-json", "address", "show"]),
    Promise.all(
      families.map(async (family) =>
        parseRules(family, await commands.run(["ip", `-${family}`, "-details", "-Numeric", "-json", "rule", "show"])),
      ),
    ),
  ]);
  return {
    links: parseLinks(interfaces),
    addresses: parseAddresses(interfaces),
    rules: rules.flat(),
    ...(ipv6 ? {} : { ipv6 }),
    sysctls: readSysctls(sysctlRoot, factSysctls),
  };
}

/**
 * Reads the kernel. An interface that goes between the questions makes their answers no picture of any moment, and they are asked again.
 *
 * @param plan Its sysctls, and foreign routes in its tables, are read as well; those in tables that we use now are in any case.
 * @throws CommandFailure when iproute2 or nft fails; a partial picture would be taken for missing objects.
 */
export async function observe(commands: CommandRunner, sysctlRoot: string, plan?: NodePlan): Promise<ObservedState> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await observeOnce(commands, sysctlRoot, plan);
    } catch (error) {
      if (attempt === longestChange || !isVanishedDevice(error)) throw error;
    }
  }
}

/** Attempts. Whoever takes more interfaces away than that meanwhile is waited for by the next pass. */
const longestChange = 5;

/** In the words of `bridge fdb show`. */
function isVanishedDevice(error: unknown): boolean {
  return error instanceof CommandFailure && error.stderr.includes("Cannot find device");
}

async function observeOnce(
  commands: CommandRunner,
  sysctlRoot: string,
  plan: NodePlan | undefined,
): Promise<ObservedState> {
  const ipv6 = await hasIpv6(sysctlRoot);
  const families: readonly Family[] = ipv6 ? [4, 6] : [4];
  const [interfaces, routing, filter, offloads] = await Promise.all([
    observeInterfaces(commands),
    Promise.all(families.map((family) => observeRouting(commands, sysctlRoot, family, plan))),
    observeFilter(commands),
    observeOffloads(commands, plan),
  ]);
  return {
    ...interfaces,
    links: interfaces.links.map((link) => withOffload(link, offloads?.txChecksum)),
    routes: routing.flatMap(({ routes }) => routes),
    defaultRoutes: routing.flatMap(({ defaultRoutes }) => defaultRoutes),
    rules: routing.flatMap(({ rules }) => rules),
    ...(ipv6 ? {} : { ipv6 }),
    ...(offloads?.failure === undefined ? {} : { ethtoolFailure: offloads.failure }),
    ...(filter === undefined ? {} : { filter }),
    sysctls: readSysctls(sysctlRoot, observedSysctls(plan)),
  };
}

/** Their entries directly after them, without waiting for routes: of those a router has many. */
async function observeInterfaces(
  commands: CommandRunner,
): Promise<Pick<ObservedState, "links" | "addresses" | "forwarding" | "bridged">> {
  const printed = await commands.run(["ip", "-details", "-json", "address", "show"]);
  const links = parseLinks(printed);
  const ours = links.filter((link) => link.vxlan !== undefined && isMarkedOurs(link));
  const bridges = new Set(links.filter(({ kind }) => kind === "bridge").map(({ name }) => name));
  const ports = ours.flatMap(({ name, master }) =>
    master === undefined || !bridges.has(master) ? [] : [{ name, bridge: master }],
  );
  const [forwarding, hosts] = await Promise.all([
    observeForwarding(
      commands,
      ours.map(({ name }) => name),
    ),
    observeBridges(
      commands,
      ports.map(({ bridge }) => bridge),
    ),
  ]);
  return {
    links,
    addresses: parseAddresses(printed),
    forwarding,
    ...(ports.length === 0
      ? {}
      : { bridged: Object.fromEntries(ports.map(({ name, bridge }) => [name, hosts[bridge] ?? []])) }),
  };
}

function readSysctls(root: string, names: readonly string[]): Readonly<Record<string, string>> {
  const values = names.map((name) => [name, readSysctl(root, name)] as const);
  return Object.fromEntries(values.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

/** By device. Asked for by name, so that other interfaces' entries (a bridge of virtual machines, a CNI) cost nothing. */
export function observeForwarding(
  commands: CommandRunner,
  devices: readonly string[],
): Promise<Readonly<Record<string, readonly ForwardingEntry[]>>> {
  return showForwarding(commands, "dev", devices, parseForwarding);
}

/** What each bridge knows, on all of its ports. */
export function observeBridges(
  commands: CommandRunner,
  bridges: readonly string[],
): Promise<Readonly<Record<string, readonly BridgedHost[]>>> {
  return showForwarding(commands, "br", bridges, parseBridged);
}

/** One process for all: it answers with a line for each question. Not for both kinds, as it keeps the last filter of each. */
export async function showForwarding<T>(
  commands: CommandRunner,
  by: "dev" | "br",
  names: readonly string[],
  parse: (json: string) => readonly T[],
): Promise<Readonly<Record<string, readonly T[]>>> {
  if (names.length === 0) return {};
  const input = names.map((name) => `fdb show ${by} ${name}\n`).join("");
  const lines = (await commands.run(["bridge", "-json", "-batch", "-"], input)).trimEnd().split("\n");
  if (lines.length !== names.length) throw new Error(`bridge answered ${lines.length} of ${names.length} questions`);
  return Object.fromEntries(names.map((name, index) => [name, parse(lines[index] ?? "")]));
}

export async function observeFilter(commands: CommandRunner): Promise<ObservedFilter | undefined> {
  try {
    return parseFilter(await commands.run(["nft", "--stateless", "list", "table", nftFamily, nftTableName]));
  } catch (error) {
    if (error instanceof CommandFailure && error.stderr.includes("No such file or directory")) return undefined;
    throw error;
  }
}

/** Without IPv6 in the kernel (ipv6.disable=1) asking for it is an error. */
function hasIpv6(sysctlRoot: string): Promise<boolean> {
  return access(`${sysctlRoot}/net/ipv6`).then(
    () => true,
    () => false,
  );
}
