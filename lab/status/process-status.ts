import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Lab } from "../lab.js";
import { findDaemon } from "../processes/index.js";

export interface ProcessStatus {
  readonly name: string;
  /** As this machine counts; `undefined` when it does not run. */
  readonly pid: number | undefined;
}

const SUFFIX = ".pid";

/** Every daemon that was started and not stopped. */
export function processStatuses(lab: Lab): readonly ProcessStatus[] {
  return readdirSync(dirname(lab.pidFile("any")))
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort()
    .map((name) => ({ name, pid: findDaemon(lab.pidFile(name))?.pid }));
}
