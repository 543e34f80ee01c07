import { statSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory } from "./cache-directory.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runQuietly } from "./run-command.mjs";

/**
 * Installs the npm dependencies as the lock file has them, when they are missing or older than it. No install scripts: those of
 * the Pulumi packages would ask for a Pulumi CLI that may not be there yet.
 *
 * @param {import("./progress.mjs").Progress} progress
 */
export async function ensureDependencies(progress) {
  // npm writes its own copy of the lock file last.
  const installed = modifiedAt(join(repositoryRoot, "node_modules", ".package-lock.json"));
  if (installed >= modifiedAt(join(repositoryRoot, "package-lock.json"))) return;
  await progress.step("installing the npm dependencies", (detail) =>
    runQuietly({
      program: "npm",
      arguments: ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
      directory: repositoryRoot,
      logFile: join(cacheDirectory(), "logs", "npm-ci.log"),
      detail,
    }),
  );
}

/**
 * @param {string} file
 * @returns {number} milliseconds since the epoch, 0 when there is no such file
 */
function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
