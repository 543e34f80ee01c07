import { type Table, withPair } from "./bench-fabric.js";
import { Unheard } from "./program.js";
import type { ReceiverKind } from "./receivers.js";
import { type Spread, spreadOf } from "./statistics.js";

/** A whole table from the first byte until it is where it belongs. */
export interface TableCost {
  /** Milliseconds. */
  readonly wall: number;
  /** Seconds of processor time. */
  readonly cpu: number;
  /** Resident memory in MiB: before, when all was there, and the most that it was. */
  readonly before: number;
  readonly after: number;
  readonly highest: number;
}

/** Of the runs in which all arrived. */
export interface TableSpread {
  readonly complete: number;
  readonly runs: number;
  /** Undefined where no run was complete. */
  readonly costs: { readonly [Field in keyof TableCost]: Spread } | undefined;
}

const nanosecondsPerMillisecond = 1e6;

/** Undefined when a part of the table never arrived: FRR 8.4 now and then stops writing entries. */
async function costOfTable(kind: ReceiverKind, table: Table): Promise<TableCost | undefined> {
  try {
    return await completeCost(kind, table);
  } catch (error) {
    if (error instanceof Unheard) return undefined;
    throw error;
  }
}

function completeCost(kind: ReceiverKind, table: Table): Promise<TableCost> {
  return withPair(kind, table, async ({ receiver, sender, usage }) => {
    const watch = await receiver.watch(table.hosts);
    const before = await usage();
    sender.tell("table");
    const start = await sender.hearsTime("table");
    const end = await watch.hearsTime("all");
    const after = await usage();
    return {
      wall: Number(end - start) / nanosecondsPerMillisecond,
      cpu: after.cpu - before.cpu,
      before: before.rss,
      after: after.rss,
      highest: after.highest,
    };
  });
}

/**
 * Each kind so many times, in turns and in alternating order: what else the machine does meanwhile falls on all of them.
 */
export async function compareTables(
  kinds: readonly ReceiverKind[],
  table: Table,
  repetitions: number,
): Promise<ReadonlyMap<ReceiverKind, TableSpread>> {
  const costs = new Map<ReceiverKind, (TableCost | undefined)[]>(kinds.map((kind) => [kind, []]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const kind of repetition % 2 === 0 ? kinds : kinds.toReversed()) {
      costs.get(kind)?.push(await costOfTable(kind, table));
    }
  }
  return new Map([...costs].map(([kind, list]) => [kind, spread(list)]));
}

function spread(runs: readonly (TableCost | undefined)[]): TableSpread {
  const complete = runs.flatMap((cost) => cost ?? []);
  const of = (field: keyof TableCost) => spreadOf(complete.map((cost) => cost[field]));
  return {
    complete: complete.length,
    runs: runs.length,
    costs:
      complete.length === 0
        ? undefined
        : { wall: of("wall"), cpu: of("cpu"), before: of("before"), after: of("after"), highest: of("highest") },
  };
}
