// npm runs this before it packs: what is published is compiled from the sources as they are now, and from nothing else.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory } from "./cache-directory.mjs";
import { runEntry } from "./entry.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runQuietly } from "./run-command.mjs";

/** Top folders whose output is published, and the two projects that reach all of them. */
const PUBLISHED = ["model", "provider", "components", "cli"];
const PROJECTS = ["components", "cli"];

await runEntry(import.meta.url, async (progress) => {
  await progress.step("compiling the package", (detail) =>
    runQuietly({
      program: "node",
      arguments: [join("node_modules", "typescript", "bin", "tsc"), "--build", ...PROJECTS],
      directory: repositoryRoot,
      logFile: join(cacheDirectory(), "logs", "prepack.log"),
      detail,
    }),
  );
  for (const folder of PUBLISHED) removeOrphans(folder);
  return 0;
});

/**
 * The compiler leaves the output of deleted and renamed sources behind.
 *
 * @param {string} folder
 */
function removeOrphans(folder) {
  for (const output of readdirSync(join(repositoryRoot, "dist", folder), { recursive: true, encoding: "utf8" })) {
    const stem = /^(.*?)\.(?:js|js\.map|d\.ts)$/.exec(output)?.[1];
    if (stem === undefined || existsSync(join(repositoryRoot, folder, `${stem}.ts`))) continue;
    rmSync(join(repositoryRoot, "dist", folder, output));
  }
}
