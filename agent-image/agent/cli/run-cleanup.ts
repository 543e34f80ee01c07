import { rm } from "node:fs/promises";
import { operationText, removeEverything } from "../../../model/index.js";
import { claimsPath } from "../core/claim-follower.js";
import { lastGoodPath } from "../core/last-good.js";
import { NodeLock } from "../core/node-lock.js";
import { KernelReconciler } from "../kernel/index.js";

export interface CleanupOptions {
  readonly dryRun: boolean;
  readonly stateDirectory: string;
  readonly sysctlRoot: string;
}

/**
 * Removes everything of ours from this node: what stands in the kernel, and what an agent would start from. Prints what
 * was done, or with `dryRun` what would be. Returns the exit code.
 */
export async function runCleanup({ dryRun, stateDirectory, sysctlRoot }: CleanupOptions): Promise<number> {
  const kernel = new KernelReconciler({ sysctlRoot });
  if (dryRun) {
    print(removeEverything(await kernel.observe()).map(operationText));
    return 0;
  }
  const lock = new NodeLock(stateDirectory);
  if (!lock.tryTake()) {
    process.stderr.write(
      `an agent works on this node (${lock.path} is locked) and would put everything back; stop it first\n`,
    );
    return 1;
  }
  const { done, errors } = await kernel.cleanUp();
  for (const path of [lastGoodPath(stateDirectory), claimsPath(stateDirectory)]) {
    await rm(path, { force: true });
  }
  print(done);
  process.stderr.write(errors.map((error) => `${error}\n`).join(""));
  return errors.length === 0 ? 0 : 1;
}

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}
