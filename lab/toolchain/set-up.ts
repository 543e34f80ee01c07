/** The toolchain as a step of the set-up: `node dist/lab/toolchain/set-up.js`. */
import { createProgress } from "../progress.js";
import { ensureToolchain } from "./index.js";

// A signal's own way of ending would leave a compiler running; leaving by exit takes the builds along.
process.once("SIGTERM", () => process.exit(143));

const progress = createProgress();
ensureToolchain(progress).then(
  ({ binDirectory }) => progress.note(`toolchain ready in ${binDirectory}`),
  (error: unknown) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
