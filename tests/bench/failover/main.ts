/**
 * What a client outside sees when a public address moves, split into MetalLB's time and ours. Needs root; makes a lab of its
 * own with the compiled agent in it and ends it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { textTable } from "../../../cli/plan/text-table.js";
import { startApiServer } from "../../../lab/cluster/control-plane.js";
import {
  evictSpeaker,
  kubectl,
  loadImage,
  metallbNamespace,
  restoreSpeaker,
  startNode,
  stopNode,
} from "../../../lab/cluster/index.js";
import { agentImage } from "../../../lab/images/index.js";
import { createProgress, type Lab, labDown, labUp, waitFor } from "../../../lab/index.js";
import { configureLabStack, firstNetwork, labStack, vxlanNetwork } from "../../../lab/pulumi/lab-stack.js";
import { locateToolchain } from "../../../lab/toolchain/index.js";
import { type NodeName, nodeNames, publicService } from "../../../lab/topology.js";
import { Arrivals, packetSpacing } from "./arrivals.js";
import { ClaimTimes } from "./claim-times.js";

const labName = "failover";
/** Moves of each kind; a dead node takes longer. */
const plannedMoves = 20;
const deadNodes = 3;
/** Milliseconds in which an address has moved, or it never will. */
const moveLimit = 30_000;
/** Milliseconds for everything to be quiet before the next move. */
const rest = 3_000;

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

async function move(
  arrivals: Arrivals,
  claims: ClaimTimes,
  event: (from: NodeName) => Promise<unknown>,
): Promise<Move> {
  const from = await owner(arrivals);
  const began = Date.now();
  const done = event(from);
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
  await done;
  await sleep(rest);
  const times = arrivals.between(from, to as NodeName, began);
  const claimed = claims.firstAfter(to as NodeName, began);
  if (times === undefined || claimed === undefined) throw new Error(`no packets of the move from ${from} to ${to}`);
  return { detection: claimed - began, ours: times.first - claimed, hole: times.first - times.last };
}

function row(event: string, moves: readonly Move[]): readonly string[] {
  const figures = (["detection", "ours", "hole"] as const).flatMap((part) => {
    const sorted = moves.map((one) => one[part]).toSorted((left, right) => left - right);
    return [sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  });
  return [event, String(moves.length), ...figures.map((figure) => figure.toFixed(0))];
}

/** Moves away from a node and back, with the same programs listening. */
async function plannedMovesOf(lab: Lab): Promise<readonly Move[]> {
  return listening(lab, async (arrivals, claims) => {
    const moves: Move[] = [];
    while (moves.length < plannedMoves) {
      const away = await owner(arrivals);
      moves.push(await move(arrivals, claims, () => evictSpeaker(lab, away)));
      moves.push(await move(arrivals, claims, () => restoreSpeaker(lab, away)));
    }
    return moves;
  });
}

/** With the node go the programs that listen on it. */
async function deadNode(lab: Lab): Promise<Move> {
  let off: NodeName | undefined;
  const moved = await listening(lab, (arrivals, claims) =>
    move(arrivals, claims, async (node) => {
      off = node;
      await stopNode(lab, node);
    }),
  );
  const back = off as unknown as NodeName;
  await startNode(lab, back);
  await waitFor(
    `${back} to carry the network again`,
    async () => (await lab.exec(back, ["ip", "link", "show", "dev", "vxlan228", "up"], { check: false })).stdout !== "",
    { timeout: 60_000 },
  );
  await kubectl(lab, [`--namespace=${metallbNamespace}`, "rollout", "status", "daemonset/speaker", "--timeout=120s"]);
  await sleep(3 * rest);
  return moved;
}

/** Longer than the time after which the agent may not repeat announcements any more. */
const awayFor = 75_000;

/** The API server goes and comes back, and nothing moves. */
async function apiServerAway(lab: Lab): Promise<string> {
  return listening(lab, async (arrivals) => {
    await owner(arrivals);
    const began = Date.now();
    await lab.stopDaemon("kube-apiserver");
    await sleep(awayFor);
    await startApiServer(lab, locateToolchain());
    await sleep(5 * rest);
    const { nodes, longestHole } = arrivals.since(began);
    return `API server away for ${awayFor / 1000} s: packets came by ${nodes.join(", ")}, longest hole ${longestHole.toFixed(0)} ms`;
  });
}

async function listening<T>(lab: Lab, work: (arrivals: Arrivals, claims: ClaimTimes) => Promise<T>): Promise<T> {
  const arrivals = await Arrivals.start(lab);
  const claims = await ClaimTimes.start(lab);
  try {
    return await work(arrivals, claims);
  } finally {
    await Promise.allSettled([claims.close(), arrivals.close()]);
  }
}

async function measure(lab: Lab): Promise<readonly string[]> {
  const planned = await plannedMovesOf(lab);
  const dead: Move[] = [];
  while (dead.length < deadNodes) dead.push(await deadNode(lab));
  // At the end: the controllers lose their lease meanwhile, and go.
  const away = await apiServerAway(lab);
  const head = ["EVENT", "MOVES", "METALLB median", "max", "OURS median", "max", "HOLE median", "max"];
  const rows = [row("the speaker leaves its node, or comes back", planned), row("the node loses its power", dead)];
  return [...textTable(head, rows), "", away];
}

async function main(): Promise<void> {
  const lab = await labUp(labName, createProgress());
  try {
    const image = await agentImage();
    await loadImage(lab, image);
    const stack = await labStack(lab, locateToolchain());
    await configureLabStack(stack, lab, { image: image.reference, networks: [vxlanNetwork(firstNetwork)] });
    const { code, stdout, stderr } = await stack.up();
    if (code !== 0) throw new Error(`pulumi up failed: ${stdout}\n${stderr}`);
    await waitFor(
      `${publicService.address} to answer`,
      async () =>
        (await lab.exec("client", ["ping", "-c", "1", "-W", "1", publicService.address], { check: false })).code ===
          0 ||
        (await lab.exec("client", ["curl", "-s", "-m", "1", `http://${publicService.address}/`], { check: false }))
          .code === 0,
      { timeout: 60_000 },
    );
    const lines = await measure(lab);
    process.stdout.write(`Milliseconds; a packet each ${packetSpacing} ms\n\n${lines.join("\n")}\n`);
  } finally {
    await labDown(labName);
  }
}

void main();
