import { join } from "node:path";
import { cacheDirectory } from "./cache-directory.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runQuietly } from "./run-command.mjs";

/**
 * Compiles what has changed.
 *
 * @param {import("./progress.mjs").Progress} progress
 */
export async function build(progress) {
  await progress.step("compiling TypeScript", (detail) =>
    runQuietly({
      program: "node",
      arguments: [join("node_modules", "typescript", "bin", "tsc"), "--build"],
      directory: repositoryRoot,
      logFile: join(cacheDirectory(), "logs", "build.log"),
      detail,
    }),
  );
}
