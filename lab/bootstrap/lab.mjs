// `npm run lab -- COMMAND`: looks into the lab that `npm start` left up, or takes it down.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runEntry } from "./entry.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runInForeground } from "./run-command.mjs";

await runEntry(import.meta.url, async (_progress, args) => {
  const command = join(repositoryRoot, "dist", "lab", "cli", "lab.js");
  if (!existsSync(command)) throw new Error('The lab is not built yet: run "npm start" first.');
  return runInForeground("node", [command, ...args]);
});
