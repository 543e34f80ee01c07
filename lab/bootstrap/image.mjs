// `npm run image`: the node agent's image as an OCI archive. Needs npm, Debian's package tools and Go, not root.
import { join } from "node:path";
import { runEntry } from "./entry.mjs";
import { prepare } from "./prepare.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runInForeground } from "./run-command.mjs";

await runEntry(import.meta.url, async (progress, args) => {
  await prepare(progress, { system: false, toolchain: false });
  return runInForeground("node", [join(repositoryRoot, "dist", "lab", "cli", "image.js"), ...args]);
});
