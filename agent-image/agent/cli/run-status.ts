import { readFile, stat } from "node:fs/promises";
import type { RouterNodeStatus } from "../../../model/index.js";
import { passFailed } from "../status/pass-failed.js";
import { statusFreshness } from "./defaults.js";

export interface StatusOptions {
  readonly statusFile: string;
  readonly ready: boolean;
}

/** Prints the status file; with `ready` prints nothing when the agent can reconcile. Returns the exit code. */
export async function runStatus({ statusFile, ready }: StatusOptions): Promise<number> {
  try {
    const age = (Date.now() - (await stat(statusFile)).mtimeMs) / 1000;
    if (ready) {
      if (age > statusFreshness) {
        process.stderr.write(`not ready: the last pass ended ${Math.round(age)} s ago (limit ${statusFreshness} s)\n`);
        return 1;
      }
      const { conditions } = JSON.parse(await readFile(statusFile, "utf8")) as RouterNodeStatus;
      const failed = conditions?.find(({ type }) => type === passFailed.type);
      if (failed !== undefined) {
        process.stderr.write(`not ready: the last pass failed: ${failed.message}\n`);
      }
      return failed === undefined ? 0 : 1;
    }
    process.stdout.write(await readFile(statusFile, "utf8"));
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw error;
    }
    process.stderr.write(
      `not ready: ${statusFile} is not there; no agent runs, it waits for another one, or it has no configuration yet\n`,
    );
    return 1;
  }
}
