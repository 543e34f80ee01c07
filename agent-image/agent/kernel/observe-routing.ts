import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Family,
  type NodePlan,
  type ObservedRoute,
  type ObservedRule,
  type ObservedState,
  reservedTables,
  routeProtocol,
} from "../../../model/index.js";
import { CommandFailure, type CommandRunner } from "./command-runner.js";
import { type IpRoute, parseRules, routeOf, routeRecords } from "./parse-ip.js";

/**
 * Routes of a family above which those of other tables are not printed: 50,000 cost iproute2 a quarter of a second in each pass, which
 * is what a repair has. Below it one process for everything is the cheapest.
 */
const manyRoutes = 5_000;
/** Tables that are read one by one, a process for each. */
const fewTables = 32;

export type ObservedRouting = Required<Pick<ObservedState, "routes" | "rules" | "defaultRoutes">>;

/**
 * Rules, and the routes that concern us.
 *
 * @param plan foreign routes in its tables are read as well; those in tables that we use now are in any case
 */
export async function observeRouting(
  commands: CommandRunner,
  sysctlRoot: string,
  family: Family,
  plan: NodePlan | undefined,
): Promise<ObservedRouting> {
  const wanted = tablesOf(plan);
  const isLarge = routeCount(sysctlRoot, family) > manyRoutes;
  const read = isLarge ? await readParts(commands, family, wanted) : undefined;
  const { routes, rules } = read ?? (await readAll(commands, family));
  const tables = new Set([...wanted, ...tablesInUse(routes, rules)]);
  return {
    // Only these are made ours: the main table of a router has thousands of others.
    routes: routes
      .filter((route) => isOurs(route) || tables.has(Number(route.table)))
      .map((route): ObservedRoute => routeOf(family, route)),
    defaultRoutes: routes.filter(({ dst }) => dst === "default").map(({ table }) => ({ family, table: Number(table) })),
    rules,
  };
}

interface ReadRouting {
  readonly routes: readonly IpRoute[];
  readonly rules: readonly ObservedRule[];
}

const options = (family: Family) => ["ip", `-${family}`, "-details", "-Numeric", "-json"];

/**
 * Both in one process: this runs after every event. All tables, because asking for a single one fails while it is empty ("FIB table
 * does not exist", measured).
 */
async function readAll(commands: CommandRunner, family: Family): Promise<ReadRouting> {
  const text = await commands.run([...options(family), "-batch", "-"], "route show table all\nrule show\n");
  const [routes, rules] = text.trimEnd().split("\n");
  if (routes === undefined || rules === undefined) throw new Error(`ip -${family} printed too little: ${text}`);
  return { routes: routeRecords(routes), rules: parseRules(family, rules) };
}

/**
 * Not as a batch, in which iproute2 asks the kernel for everything and chooses itself (6.1 sets NETLINK_GET_STRICT_CHK after it).
 * Undefined where there are too many tables.
 */
async function readParts(
  commands: CommandRunner,
  family: Family,
  wanted: readonly number[],
): Promise<ReadRouting | undefined> {
  const show = async (...words: readonly string[]): Promise<readonly IpRoute[]> =>
    routeRecords(await commands.run([...options(family), "route", "show", ...words]));
  const [ours, defaults, rules] = await Promise.all([
    show("table", "all", "proto", `${routeProtocol}`),
    show("table", "all", "exact", "default"),
    commands.run([...options(family), "rule", "show"]).then((text) => parseRules(family, text)),
  ]);
  // iproute2 does not print what it was asked for.
  const own = ours.map((route) => ({ ...route, protocol: `${routeProtocol}` }));
  const tables = [...new Set([...wanted, ...tablesInUse(own, rules)])];
  if (tables.length > fewTables) return undefined;
  const held = await Promise.all(tables.map((table) => orNone(show("table", `${table}`))));
  const named = held.flatMap((routes, index) => routes.map((route) => ({ ...route, table: `${tables[index]}` })));
  const isElsewhere = ({ table }: IpRoute) => !tables.includes(Number(table));
  const others = defaults.filter((route) => isElsewhere(route) && !isOurs(route));
  return { routes: [...named, ...own.filter(isElsewhere), ...others], rules };
}

/** A table comes with its first route. */
async function orNone(routes: Promise<readonly IpRoute[]>): Promise<readonly IpRoute[]> {
  try {
    return await routes;
  } catch (error) {
    if (error instanceof CommandFailure && error.stderr.includes("FIB table does not exist")) return [];
    throw error;
  }
}

/** Of the main table, or with IPv6 of all tables; 0 where the kernel does not tell. */
function routeCount(sysctlRoot: string, family: Family): number {
  if (family === 6) return Number.parseInt(readStatistics(sysctlRoot, "rt6_stats").split(" ")[2] ?? "0", 16);
  return Number(/^Main:[\s\S]*?Prefixes:\s+(\d+)/m.exec(readStatistics(sysctlRoot, "fib_triestat"))?.[1] ?? 0);
}

function readStatistics(sysctlRoot: string, name: string): string {
  try {
    return readFileSync(join(dirname(sysctlRoot), "net", name), "utf8");
  } catch {
    return "";
  }
}

function isOurs({ protocol }: IpRoute): boolean {
  return Number(protocol) === routeProtocol;
}

function tablesOf(plan: NodePlan | undefined): readonly number[] {
  return (plan?.networks ?? []).flatMap(({ routes }) => routes.map(({ table }) => table));
}

/**
 * Tables that hold something of ours already: whoever cleans up wants to know what others have in them. A route of ours in main makes no
 * table of ours of it.
 */
function tablesInUse(routes: readonly IpRoute[], rules: readonly ObservedRule[]): readonly number[] {
  const tables = [
    ...routes.filter(isOurs).map(({ table }) => Number(table)),
    ...rules.flatMap(({ protocol, action }) =>
      protocol === routeProtocol && action.kind === "lookup" ? [action.table] : [],
    ),
  ];
  return tables.filter((table) => !reservedTables.has(table));
}
