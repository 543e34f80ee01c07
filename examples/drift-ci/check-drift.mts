/**
 * Compares what the nodes really have with the program, and prints what deviates. Arguments go to `pulumi preview`.
 * Exit code: 0 no drift, 2 drift, 1 the comparison itself failed.
 */
import { spawnSync } from "node:child_process";
import { driftOf, type Preview, renderDrift } from "./drift-report.mts";

const { status, stdout, error } = spawnSync(
  "pulumi",
  ["preview", "--refresh", "--json", "--non-interactive", ...process.argv.slice(2)],
  // The state of many networks is longer than the megabyte that is the default.
  { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: Number.POSITIVE_INFINITY },
);
if (error !== undefined) throw error;

if (status === 0) {
  const drift = driftOf(JSON.parse(stdout) as Preview);
  console.log(drift.length === 0 ? "no drift" : renderDrift(drift));
  process.exitCode = drift.length === 0 ? 0 : 2;
} else {
  console.error(errorsOf(stdout));
  process.exitCode = 1;
}

/** The engine may fail before it writes JSON. */
function errorsOf(text: string): string {
  try {
    const { diagnostics = [] } = JSON.parse(text) as Preview;
    return diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ message }) => message.trim())
      .join("\n");
  } catch {
    return text;
  }
}
