import type { CommandRunner } from "./command-runner.js";
import { parsePrintedJson } from "./printed-json.js";

/** An entry of the neighbour table that the agent keeps. */
export interface NeighbourEntry {
  readonly device: string;
  readonly address: string;
  readonly mac: string;
}

/** What the kernel has for an address; without a MAC while it looks for one, or gave up. */
export interface HeldNeighbour {
  readonly mac: string | undefined;
  /** `REACHABLE`, `STALE`, `PERMANENT`, … (neigh states of ip-neighbour(8)). */
  readonly states: readonly string[];
}

interface ListedNeighbour {
  readonly lladdr?: string;
  readonly state?: readonly string[];
}

/** States that only somebody who sets them by hand, or another program, gives an entry. */
const foreignStates = ["PERMANENT", "NOARP"];

/**
 * Makes the entries reachable, as an answer to the kernel's own question would. What somebody else has fixed stays.
 *
 * @throws CommandFailure also when an interface went meanwhile
 */
export async function keepNeighbours(commands: CommandRunner, wanted: readonly NeighbourEntry[]): Promise<void> {
  const held = await observeNeighbours(commands, wanted);
  const missing = wanted.filter((entry, index) => isDue(entry, held[index]));
  await write(commands, missing, "reachable");
}

/** Says of entries that are as we keep them that nobody vouches for them any more. */
export async function leaveNeighbours(commands: CommandRunner, kept: readonly NeighbourEntry[]): Promise<void> {
  const held = await observeNeighbours(commands, kept);
  const ours = kept.filter(({ mac }, index) => held[index]?.mac === mac && held[index]?.states.includes("REACHABLE"));
  await write(commands, ours, "stale");
}

async function observeNeighbours(
  commands: CommandRunner,
  of: readonly NeighbourEntry[],
): Promise<readonly (HeldNeighbour | undefined)[]> {
  if (of.length === 0) return [];
  const input = of.map(({ address, device }) => `neigh show to ${address} dev ${device}\n`).join("");
  return parseNeighbours(await commands.run(["ip", "-json", "-batch", "-"], input));
}

/** Reads a line for each question of `neigh show to ADDRESS dev DEVICE`. */
export function parseNeighbours(text: string): readonly (HeldNeighbour | undefined)[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [entry] = parsePrintedJson<readonly ListedNeighbour[]>(line);
      return entry === undefined ? undefined : { mac: entry.lladdr, states: entry.state ?? [] };
    });
}

function isDue({ mac }: NeighbourEntry, held: HeldNeighbour | undefined): boolean {
  if (held === undefined) return true;
  if (held.states.some((state) => foreignStates.includes(state))) return false;
  return held.mac !== mac || !held.states.includes("REACHABLE");
}

async function write(commands: CommandRunner, entries: readonly NeighbourEntry[], state: string): Promise<void> {
  if (entries.length === 0) return;
  const input = entries.map(
    ({ address, device, mac }) => `neigh replace ${address} lladdr ${mac} dev ${device} nud ${state}\n`,
  );
  await commands.run(["ip", "-batch", "-"], input.join(""));
}
