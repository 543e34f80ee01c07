// `node lab/bootstrap/set-up.mjs`: all the set-up, and nothing else.
import { runEntry } from "./entry.mjs";
import { prepare } from "./prepare.mjs";

await runEntry(import.meta.url, async (progress) => {
  await prepare(progress, { system: true, toolchain: true });
  return 0;
});
