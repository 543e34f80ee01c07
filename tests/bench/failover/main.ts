/**
 * What a client outside sees when a public address moves, split into MetalLB's time and ours. Needs root; makes a lab of its
 * own with the compiled agent in it and ends it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { textTable } from "../../../cli/plan/text-table.js";
import { startApiServer } from "../../../lab/cluster/control-plane.js";
import { evictSpeaker, restoreSpeaker, stopNode } from "../../../lab/cluster/index.js";
import { type Lab, labDown, waitFor } from "../../../lab/index.js";
import { locateToolchain } from "../../../lab/toolchain/index.js";
import { type NodeName, nodeNames } from "../../../lab/topology.js";
import {
  addressLabUp,
  bringBack,
  cordon,
  deleteNode,
  excludeNode,
  includeNode,
  killSpeaker,
  type PublicAddress,
  publicAddresses,
  replaceSpeakers,
  uncordon,
} from "../../support/address-lab.js";
import { Arrivals, packetSpacing } from "./arrivals.js";
import { ClaimTimes } from "./claim-times.js";

const labName = "failover";
/** Moves of each address; a dead or deleted node takes longer. `npm run bench:failover -- 6` makes fewer. */
const plannedMoves = Number(process.argv[2] ?? 20);
const deadNodes = 3;
const deletedNodes = 1;
/**
 * How often a Service moves before MetalLB's speakers are made anew. Each tells a move to it by two events, and its
 * client library keeps back all events of one object but 25, and one each 300 s from then on (`NewEventSourceObjectSpamFilter`
 * of client-go). Where MetalLB writes no status either (metallb/metallb#2930), nobody is told of the move.
 */
const movesOfOneSpeaker = 10;
/** Milliseconds in which an address has moved, or it never will: pods of a deleted node go after 40 s and more. */
const moveLimit = 120_000;
/** Milliseconds in which MetalLB takes an address back to a node whose speaker has returned, or leaves it where it is. */
const returnLimit = 20_000;
/** Milliseconds for everything to be quiet before the next move. */
const rest = 3_000;
/** Milliseconds after which speakers that are new have found each other and moved what they move. */
const settling = 3 * rest;
const [cluster] = publicAddresses as readonly [PublicAddress, ...PublicAddress[]];

/** Milliseconds. */
interface Move {
  /** From the event until MetalLB says who answers now. */
  readonly detection: number;
  /** From there until a packet comes in by the new node; negative where the announcement was faster than the status. */
  readonly ours: number;
  /** From the last packet by the old node to the first by the new one. */
  readonly hole: number;
}

async function owner(arrivals: Arrivals): Promise<NodeName> {
  let node: NodeName | undefined;
  await waitFor(
    "packets to arrive by a node",
    async () => {
      const last = arrivals.packets.at(-1);
      node =
        last !== undefined && Date.now() - last.at < 500 ? nodeNames.find((name) => name === last.node) : undefined;
      return node !== undefined;
    },
    { timeout: 60_000, interval: 50 },
  );
  return node as NodeName;
}

/**
 * @param claimLimit milliseconds within which MetalLB names another node, or the address stays
 * @returns undefined where it stays
 */
async function move(
  arrivals: Arrivals,
  claims: ClaimTimes,
  event: (from: NodeName) => Promise<unknown>,
  claimLimit: number,
): Promise<Move | undefined> {
  const from = await owner(arrivals);
  const began = Date.now();
  const done = event(from);
  const isClaimed = await waitFor("a claim", async () => claims.firstOfOthers(from, began) !== undefined, {
    timeout: claimLimit,
    interval: 20,
  }).then(
    () => true,
    () => false,
  );
  await done;
  if (!isClaimed) return undefined;
  let to: NodeName | undefined;
  await waitFor(
    `packets to arrive by another node than ${from}`,
    async () => {
      const last = arrivals.packets.at(-1);
      to = last !== undefined && last.node !== from ? nodeNames.find((name) => name === last.node) : undefined;
      return to !== undefined && claims.firstAfter(to, began) !== undefined;
    },
    { timeout: moveLimit, interval: 20 },
  );
  await sleep(rest);
  const times = arrivals.between(from, to as NodeName, began);
  const claimed = claims.firstAfter(to as NodeName, began);
  if (times === undefined || claimed === undefined) throw new Error(`no packets of the move from ${from} to ${to}`);
  return { detection: claimed - began, ours: times.first - claimed, hole: times.first - times.last };
}

/** An event after which MetalLB has to move the address. */
async function moveAway(
  { address, services }: PublicAddress,
  arrivals: Arrivals,
  claims: ClaimTimes,
  event: (from: NodeName) => Promise<unknown>,
): Promise<Move> {
  const moved = await move(arrivals, claims, event, moveLimit);
  if (moved === undefined) {
    throw new Error(
      `${address}: MetalLB named no other node for ${services.join(" and ")} within ${moveLimit / 1000} s; packets come by ` +
        `${arrivals.packets.at(-1)?.node ?? "no node"}, and ${claims.times.at(-1)?.node ?? "none"} was named last`,
    );
  }
  return moved;
}

/** The nearest rank: of twenty moves the largest is the 99th percentile too. */
function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function row(event: string, { kind }: PublicAddress, moves: readonly Move[]): readonly string[] {
  const figures = (["detection", "ours", "hole"] as const).flatMap((part) => {
    const all = moves.map((one) => one[part]);
    return [percentile(all, 0.5), percentile(all, 0.99)];
  });
  return [event, kind, String(moves.length), ...figures.map((figure) => figure.toFixed(0))];
}

/** Moves away from a node and back, with the same programs listening. */
async function thereAndBack(
  lab: Lab,
  target: PublicAddress,
  count: number,
  away: (lab: Lab, node: NodeName) => Promise<void>,
  restore: (lab: Lab, node: NodeName) => Promise<void>,
): Promise<readonly Move[]> {
  return listening(lab, target, async (arrivals, claims) => {
    const moves: Move[] = [];
    let replacedAt: number | undefined;
    while (moves.length < count) {
      if (replacedAt === undefined || moves.length - replacedAt >= movesOfOneSpeaker) {
        await replaceSpeakers(lab);
        await sleep(settling);
        replacedAt = moves.length;
      }
      const node = await owner(arrivals);
      moves.push(await moveAway(target, arrivals, claims, () => away(lab, node)));
      // MetalLB takes an address back to the node that its hash names; where it stays there is nothing to measure.
      const back = await move(arrivals, claims, () => restore(lab, node), returnLimit);
      if (back !== undefined) moves.push(back);
    }
    return moves;
  });
}

/** With the node go the programs that listen on it. */
async function nodeGoes(lab: Lab, event: (lab: Lab, node: NodeName) => Promise<unknown>): Promise<Move> {
  let off: NodeName | undefined;
  const moved = await listening(lab, cluster, (arrivals, claims) =>
    moveAway(cluster, arrivals, claims, async (node) => {
      off = node;
      await event(lab, node);
    }),
  );
  await bringBack(lab, off as unknown as NodeName);
  await sleep(settling);
  return moved;
}

/** An event in which nothing has to move; what the client sees of it. */
async function still(
  lab: Lab,
  what: string,
  lasts: number,
  event: (node: NodeName) => Promise<unknown>,
): Promise<string> {
  return listening(lab, cluster, async (arrivals) => {
    const node = await owner(arrivals);
    const began = Date.now();
    await event(node);
    await sleep(lasts);
    const { nodes, longestHole } = arrivals.since(began);
    return `${what}: packets came by ${nodes.join(", ")}, longest hole ${longestHole.toFixed(0)} ms`;
  });
}

/** Longer than the time after which the agent may not repeat announcements any more. */
const awayFor = 75_000;

/** The API server goes and comes back, and nothing moves. */
function apiServerAway(lab: Lab): Promise<string> {
  return still(lab, `API server away for ${awayFor / 1000} s`, 5 * rest, async () => {
    await lab.stopDaemon("kube-apiserver");
    await sleep(awayFor);
    await startApiServer(lab, locateToolchain());
  });
}

async function listening<T>(
  lab: Lab,
  { address, services }: PublicAddress,
  work: (arrivals: Arrivals, claims: ClaimTimes) => Promise<T>,
): Promise<T> {
  const arrivals = await Arrivals.start(lab, address);
  const claims = await ClaimTimes.start(lab, services);
  try {
    return await work(arrivals, claims);
  } finally {
    await Promise.allSettled([claims.close(), arrivals.close()]);
  }
}

async function measure(lab: Lab): Promise<readonly string[]> {
  const rows: (readonly string[])[] = [];
  const note = (event: string, target: PublicAddress, moves: readonly Move[]): void => {
    rows.push(row(event, target, moves));
    process.stderr.write(`${rows.at(-1)?.join("  ")}\n`);
  };
  for (const target of publicAddresses) {
    const moves = await thereAndBack(lab, target, plannedMoves, evictSpeaker, restoreSpeaker);
    note("the speaker leaves its node, or comes back", target, moves);
  }
  note(
    "the node is taken out of service by its label, or back",
    cluster,
    await thereAndBack(lab, cluster, Math.min(plannedMoves, 6), excludeNode, includeNode),
  );
  const quiet = [
    await still(lab, "a speaker is killed in place", 5 * rest, (node) => killSpeaker(lab, node)),
    await still(lab, "a node is cordoned", 5 * rest, async (node) => {
      await cordon(lab, node);
      await sleep(rest);
      await uncordon(lab, node);
    }),
  ];
  const dead: Move[] = [];
  while (dead.length < deadNodes) dead.push(await nodeGoes(lab, stopNode));
  note("the node loses its power", cluster, dead);
  const deleted: Move[] = [];
  while (deleted.length < deletedNodes) deleted.push(await nodeGoes(lab, deleteNode));
  note("the node's object is deleted", cluster, deleted);
  // At the end: the controllers lose their lease meanwhile, and go.
  quiet.push(await apiServerAway(lab));
  const head = ["EVENT", "ADDRESS", "MOVES", "METALLB p50", "p99", "OURS p50", "p99", "HOLE p50", "p99"];
  return [...textTable(head, rows), "", ...quiet];
}

async function main(): Promise<void> {
  try {
    const lab = await addressLabUp(labName);
    const lines = await measure(lab);
    process.stdout.write(`Milliseconds; a packet each ${packetSpacing} ms\n\n${lines.join("\n")}\n`);
  } finally {
    await labDown(labName);
  }
}

void main();
