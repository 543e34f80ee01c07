import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { PlanCondition } from "../../../model/index.js";
import type { AgentLog } from "./ports.js";
import { readState, writeState } from "./state-file.js";

const format = 1;

/** A revision of a network that cut this node off, and what is said of it. */
export interface Rejection {
  readonly uid: string;
  readonly revision: string;
  readonly condition: PlanCondition;
}

export function rejectionsPath(stateDirectory: string): string {
  return join(stateDirectory, "rejections.json");
}

/** What was taken back is known after a restart too: tried again, it would cut the node off each time an agent starts. */
export class Rejections {
  readonly #path: string;
  #list: readonly Rejection[];

  private constructor(path: string, list: readonly Rejection[]) {
    this.#path = path;
    this.#list = list;
  }

  static async open(stateDirectory: string, log: AgentLog): Promise<Rejections> {
    const path = rejectionsPath(stateDirectory);
    const read = await readState<unknown>(path, format);
    const list = read.kind === "read" && isRejections(read.state) ? read.state : undefined;
    if (list === undefined && read.kind !== "absent") {
      const reason = read.kind === "unusable" ? read.reason : "it holds something else";
      log.warn({ path, reason }, "the revisions that were taken back cannot be read and count as never tried");
    }
    return new Rejections(path, list ?? []);
  }

  list(): readonly Rejection[] {
    return this.#list;
  }

  async keep(list: readonly Rejection[]): Promise<void> {
    if (!isDeepStrictEqual(list, this.#list)) {
      await writeState(this.#path, format, list);
      this.#list = list;
    }
  }
}

function isRejections(state: unknown): state is readonly Rejection[] {
  return (
    Array.isArray(state) &&
    state.every((entry: Partial<Rejection> | null) =>
      [entry?.uid, entry?.revision, entry?.condition?.reason, entry?.condition?.message].every(
        (text) => typeof text === "string",
      ),
    )
  );
}
