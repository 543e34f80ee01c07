import { join } from "node:path";
import { build } from "./build.mjs";
import { ensureDebianPackages } from "./debian-packages.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { repositoryRoot } from "./repository.mjs";
import { checkRequirements } from "./requirements.mjs";
import { runInForeground } from "./run-command.mjs";

/**
 * Sets up what is missing and compiles what has changed; takes seconds when all is there.
 *
 * @param {import("./progress.mjs").Progress} progress
 * @param {{ system: boolean, toolchain: boolean }} needs `system`: root and Debian's packages; `toolchain`: the programs of the
 *   lab, built with Go where they are missing
 */
export async function prepare(progress, { system, toolchain }) {
  if (system) {
    checkRequirements({ go: toolchain });
    await ensureDebianPackages(progress);
  }
  await ensureDependencies(progress);
  await build(progress);
  if (toolchain) {
    const code = await runInForeground("node", [join(repositoryRoot, "dist", "lab", "toolchain", "set-up.js")]);
    if (code !== 0)
      throw new Error("The toolchain is not complete; what was built stays, so the next run continues there.");
  }
}
