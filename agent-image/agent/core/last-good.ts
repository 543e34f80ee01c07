import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Carried, CarriedNetwork } from "./carried-network.js";
import { parseRevision } from "./parse-revision.js";
import type { AgentLog } from "./ports.js";
import { readState, writeState } from "./state-file.js";

const format = 1;

export function lastGoodPath(stateDirectory: string): string {
  return join(stateDirectory, "last-good.json");
}

/** The last configuration that was carried, kept on the node: the agent works from it without the API server. */
export class LastGood {
  readonly #path: string;
  #carried: Carried | undefined;

  private constructor(path: string, carried: Carried | undefined) {
    this.#path = path;
    this.#carried = carried;
  }

  static async open(stateDirectory: string, log: AgentLog): Promise<LastGood> {
    const path = lastGoodPath(stateDirectory);
    const read = await readState<Carried>(path, format);
    if (read.kind === "unusable") {
      log.warn({ path, reason: read.reason }, "the last good configuration cannot be read and is made anew");
    }
    return new LastGood(path, read.kind === "read" ? usable(read.state, path, log) : undefined);
  }

  carried(): Carried | undefined {
    return this.#carried;
  }

  async keep(carried: Carried): Promise<void> {
    if (isDeepStrictEqual(carried, this.#carried)) {
      return;
    }
    await writeState(this.#path, format, carried);
    this.#carried = carried;
  }
}

/**
 * The file may be of another release, or be damaged: what no check would let pass must not reach the kernel. Then the whole
 * file is not used, because what the rest of it leaves out would be taken from the kernel.
 */
function usable(carried: Carried, path: string, log: AgentLog): Carried | undefined {
  const networksOf: unknown = (carried as Partial<Carried> | null)?.networks;
  if (!Array.isArray(networksOf) || networksOf.some((network) => typeof network !== "object" || network === null)) {
    log.warn({ path }, "the last good configuration holds no networks and is made anew");
    return undefined;
  }
  const networks: CarriedNetwork[] = [];
  for (const network of carried.networks) {
    const parsed = parseRevision({ ...network, network: network.name });
    if (!parsed.ok) {
      const { mistakes } = parsed;
      log.warn(
        { path, network: network.name, mistakes },
        "the last good configuration cannot be used and is made anew",
      );
      return undefined;
    }
    networks.push({ ...network, spec: parsed.spec });
  }
  return { ...carried, networks };
}
