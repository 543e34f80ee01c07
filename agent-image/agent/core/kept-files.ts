import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { claimsPath } from "./claim-follower.js";
import { hostsPath } from "./host-keeper.js";
import { sequencesPath } from "./kept-sequences.js";
import { lastGoodPath } from "./last-good.js";
import { nodeLockPath } from "./node-lock.js";
import { rejectionsPath } from "./rejections.js";
import { unfinishedPath } from "./state-file.js";

export interface FilePlaces {
  readonly stateDirectory: string;
  readonly statusFile: string;
}

/** What agents have left in files, and what becomes of it when a node is cleaned up. */
export interface KeptFiles {
  /** Those that are there, the lock last: it is held until the others are gone. */
  readonly files: readonly string[];
  /** It goes when nothing else is in it. */
  readonly directory?: string;
  /** Names of what else is in the directory, so that it stays. */
  readonly others: readonly string[];
}

export function keptFiles({ stateDirectory, statusFile }: FilePlaces): KeptFiles {
  const state = [lastGoodPath, claimsPath, hostsPath, rejectionsPath, sequencesPath].flatMap((path) =>
    withUnfinished(path(stateDirectory)),
  );
  const lock = nodeLockPath(stateDirectory);
  const names = namesIn(stateDirectory);
  const present = new Set(names?.map((name) => join(stateDirectory, name)));
  const ours = [...state, lock];
  const statusDirectory = join(statusFile, "..");
  const besideStatus = new Set(namesIn(statusDirectory));
  const status = withUnfinished(statusFile).filter((path) => besideStatus.has(basename(path)));
  const others = [...present]
    .filter((path) => !ours.includes(path) && !status.includes(path))
    .map((path) => basename(path));
  return {
    files: [...status, ...ours.filter((path) => present.has(path))],
    ...(names === undefined ? {} : { directory: stateDirectory }),
    others: others.sort(),
  };
}

/** Deletes a file. Absence is no error. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** Returns why the directory stays; undefined when it is gone. */
export function removeDirectory(path: string): string | undefined {
  try {
    rmdirSync(path);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EBUSY") return "it is a mount point";
    if (code === "ENOTEMPTY") return `it holds ${namesIn(path)?.sort().join(", ")}`;
    return message;
  }
}

function withUnfinished(path: string): readonly string[] {
  return [path, unfinishedPath(path)];
}

/** Undefined where there is no such directory. */
function namesIn(directory: string): string[] | undefined {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
