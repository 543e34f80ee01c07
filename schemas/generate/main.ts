import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFiles } from "./generated-files.js";

/** `npm run generate`, from the repository's root. */
const folder = join(process.cwd(), "schemas");

// A definition that is renamed leaves no file behind.
rmSync(join(folder, "crds"), { recursive: true, force: true });
for (const { path, text } of generatedFiles()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`schemas/${path}\n`);
}
