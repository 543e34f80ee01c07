// `npm start`: the set-up, then the lab with the example program deployed on it.
import { join } from "node:path";
import { runEntry } from "./entry.mjs";
import { prepare } from "./prepare.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runInForeground } from "./run-command.mjs";

await runEntry(import.meta.url, async (progress, args) => {
  await prepare(progress, { system: true, toolchain: true });
  return runInForeground("node", [join(repositoryRoot, "dist", "lab", "cli", "start.js"), ...args]);
});
