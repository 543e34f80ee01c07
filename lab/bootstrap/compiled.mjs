// `npm run lab -- …`, `npm run -s agent -- …`: runs a compiled program of the repository under a fitting Node.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runEntry } from "./entry.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runInForeground } from "./run-command.mjs";

await runEntry(import.meta.url, async (_progress, [program = "", ...args]) => {
  const file = join(repositoryRoot, "dist", program);
  if (!existsSync(file)) throw new Error(`dist/${program} is not built yet: run "npm start" first.`);
  return runInForeground("node", [file, ...args]);
});
