import { existsSync } from "node:fs";
import { operationText, type Remaining } from "../../../model/index.js";
import { type FilePlaces, type KeptFiles, keptFiles, removeDirectory, removeFile } from "../core/kept-files.js";
import { type LockBlocker, NodeLock } from "../core/node-lock.js";
import { NodeLockError } from "../core/node-lock-error.js";
import { CommandFailure, KernelReconciler, lockedCommands } from "../kernel/index.js";
import {
  type CleanupReport,
  cleanupComplaints,
  cleanupExitCode,
  cleanupText,
  isRefused,
  type Refusal,
  refusedReport,
} from "./cleanup-report.js";
import type { ExitCode } from "./exit-code.js";
import { missingNetworkRights } from "./network-rights.js";

export interface CleanupOptions extends FilePlaces {
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly sysctlRoot: string;
}

/**
 * Removes everything of ours from this node: what stands in the kernel, and what an agent would start from. Prints what was
 * done and what stays, or with `dryRun` what would be. Returns the exit code.
 */
export async function runCleanup(options: CleanupOptions): Promise<ExitCode> {
  const report = await cleanUp(options);
  const text = isRefused(report) ? "" : cleanupText(report);
  process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : text);
  process.stderr.write(cleanupComplaints(report));
  return cleanupExitCode(report);
}

async function cleanUp(options: CleanupOptions): Promise<CleanupReport> {
  const { dryRun, stateDirectory, sysctlRoot } = options;
  const missing = missingNetworkRights();
  // Before anything is made: a clean-up that is refused leaves no trace of its own.
  if (missing !== undefined) return refusedReport(dryRun, { reason: "NotPermitted", message: missing });
  const lock = new NodeLock(stateDirectory);
  const kernel = new KernelReconciler({ sysctlRoot, commands: lockedCommands(lock) });
  try {
    return dryRun ? await listAll(options, kernel, lock) : await removeAll(options, kernel, lock);
  } catch (error) {
    return refusedReport(dryRun, refusalOf(error));
  }
}

/** What stands in the way before anything is changed. @throws anything else */
function refusalOf(error: unknown): Refusal {
  if (error instanceof NodeLockError) return { reason: "LockUnusable", message: error.message };
  if (error instanceof CommandFailure) return { reason: "KernelUnreadable", message: error.message };
  throw error;
}

function agentRuns({ path, holder }: LockBlocker): Refusal {
  const by = holder === undefined ? "" : ` by ${holder}`;
  const remedy =
    holder === undefined ? "stop it first; on the node itself, lslocks names the process" : "stop it first";
  return {
    reason: "AgentRuns",
    message: `an agent works on this node (${path} is locked${by}) and would put everything back; ${remedy}`,
  };
}

async function listAll(places: FilePlaces, kernel: KernelReconciler, lock: NodeLock): Promise<CleanupReport> {
  const blocker = lock.blocker();
  const { operations, stays, goesAlong } = await kernel.planCleanUp();
  const { files, directory, others } = keptFiles(places);
  const isLeft = directory !== undefined && others.length > 0;
  return {
    dryRun: true,
    refused: blocker === undefined ? null : agentRuns(blocker),
    commands: operations.map(operationText),
    files,
    directories: directory === undefined || isLeft ? [] : [directory],
    goesAlong,
    stays: [...stays, ...(isLeft ? [usedDirectory(directory, `it holds ${others.join(", ")}`)] : [])],
    errors: [],
  };
}

async function removeAll(places: FilePlaces, kernel: KernelReconciler, lock: NodeLock): Promise<CleanupReport> {
  // Also what says, before anything is made, that the directory cannot be read.
  const blocker = lock.blocker();
  if (blocker !== undefined) return refusedReport(false, agentRuns(blocker));
  const before = keptFiles(places);
  // Taken since, and perhaps given back again.
  if (!lock.tryTake()) return refusedReport(false, agentRuns(lock.blocker() ?? lock));
  const { done, errors, stays, goesAlong } = await cleanKernel(places, kernel, lock, before);
  const left = errors.length > 0 ? [] : await leftOver(kernel);
  const files = keptFiles(places).files.filter((path) => path !== lock.path);
  const fileErrors = [...files.flatMap((path) => errorOf(() => removeFile(path))), ...errorOf(() => lock.remove())];
  const why = removeDirectory(places.stateDirectory);
  const removed = [...files, ...before.files.filter((path) => path === lock.path)];
  return {
    dryRun: false,
    refused: null,
    commands: done,
    files: removed.filter((path) => !existsSync(path)),
    directories: before.directory === undefined || why !== undefined ? [] : [before.directory],
    goesAlong,
    stays: [...stays, ...(why === undefined ? [] : [usedDirectory(places.stateDirectory, why)])],
    errors: [...errors, ...left, ...fileErrors],
  };
}

/** @throws when the kernel cannot be read, before anything was changed; what was made for the lock is taken away then */
async function cleanKernel(
  { stateDirectory }: FilePlaces,
  kernel: KernelReconciler,
  lock: NodeLock,
  before: KeptFiles,
): ReturnType<KernelReconciler["cleanUp"]> {
  try {
    return await kernel.cleanUp();
  } catch (error) {
    if (!before.files.includes(lock.path)) lock.remove();
    if (before.directory === undefined) removeDirectory(stateDirectory);
    throw error;
  }
}

/** Everything was removed without an error, and yet something of ours may be there. */
async function leftOver(kernel: KernelReconciler): Promise<readonly string[]> {
  try {
    const { operations } = await kernel.planCleanUp();
    return operations.map(
      (operation) => `another program puts back what was removed; still to be done: ${operationText(operation)}`,
    );
  } catch (error) {
    return [`whether everything is gone cannot be read: ${(error as Error).message}`];
  }
}

function errorOf(work: () => void): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function usedDirectory(path: string, why: string): Remaining {
  return { reason: "DirectoryInUse", message: `directory ${path}: ${why}`, ours: false };
}
