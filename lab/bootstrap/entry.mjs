import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { fittingNodeFolder } from "./node-runtime.mjs";
import { createProgress, runStart, STARTED_AT_VARIABLE } from "./progress.mjs";
import { runInForeground } from "./run-command.mjs";

/**
 * Runs a command of the bootstrap under a fitting Node that stands first on PATH, so that everything it starts (npm above all)
 * uses the same one. Under an older Node the command starts itself again.
 *
 * @param {string} moduleUrl `import.meta.url` of the command's file
 * @param {(progress: import("./progress.mjs").Progress, args: readonly string[]) => Promise<number>} command
 *   gives the exit code; an error is shown as its message, without a stack, because it is written for the person who reads it
 */
export async function runEntry(moduleUrl, command) {
  process.env[STARTED_AT_VARIABLE] = String(runStart(process.env, Date.now));
  const progress = createProgress();
  const args = process.argv.slice(2);
  try {
    const folder = await fittingNodeFolder(progress);
    process.env.PATH = `${folder}${delimiter}${process.env.PATH ?? ""}`;
    process.exitCode =
      folder === dirname(process.execPath)
        ? await command(progress, args)
        : await runInForeground("node", [fileURLToPath(moduleUrl), ...args]);
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
