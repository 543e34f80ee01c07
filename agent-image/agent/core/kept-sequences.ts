import { join } from "node:path";
import { isSequenceEntry, type SequenceEntry, SequenceMemory } from "../evpn/sequence-memory.js";
import type { AgentLog } from "./ports.js";
import { readState, writeState } from "./state-file.js";

const format = 1;

export function sequencesPath(stateDirectory: string): string {
  return join(stateDirectory, "sequences.json");
}

/** MAC mobility numbers, kept on the node over restarts of the agent and of the node. */
export class KeptSequences {
  readonly memory: SequenceMemory;
  readonly #path: string;
  readonly #log: AgentLog;
  /** Changed since the write that runs, or that comes next, began. */
  #dirty = false;
  #writing: Promise<void> | undefined;

  private constructor(path: string, entries: readonly SequenceEntry[], log: AgentLog) {
    this.#path = path;
    this.#log = log;
    this.memory = new SequenceMemory(entries, () => this.#write());
  }

  /** @param now who was announced when the agent ended is not announced since then, or since a little later */
  static async open(stateDirectory: string, log: AgentLog, now = new Date()): Promise<KeptSequences> {
    const path = sequencesPath(stateDirectory);
    const read = await readState<unknown>(path, format);
    if (read.kind === "unusable") {
      log.warn({ path, reason: read.reason }, "the kept MAC mobility numbers cannot be read and start anew");
    }
    const entries = read.kind === "read" ? usableEntries(read.state) : [];
    const kept = new KeptSequences(
      path,
      entries.map((entry) => ({ unusedSince: now.getTime(), ...entry })),
      log,
    );
    // Else an agent that restarts often would begin that time anew each time.
    if (entries.some(({ unusedSince }) => unusedSince === undefined)) kept.#write();
    return kept;
  }

  /** Resolves when what has changed is on disk, or could not be written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  /**
   * In the background: when the agent dies in between, the claim that made the number rise is, if it still lives, seen again
   * at the next start, and the number rises again.
   */
  #write(): void {
    this.#dirty = true;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#dirty) {
      this.#dirty = false;
      try {
        await writeState(this.#path, format, this.memory.entries());
      } catch (error) {
        // The next change is another try for all.
        const reason = (error as Error).message;
        this.#log.warn({ path: this.#path, reason }, "MAC mobility numbers cannot be kept; a restart forgets them");
      }
    }
  }
}

/** The file may be damaged: a number that cannot be encoded must not reach a peer. */
function usableEntries(state: unknown): SequenceEntry[] {
  return Array.isArray(state) ? state.filter(isSequenceEntry) : [];
}
