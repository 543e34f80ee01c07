// `npm test` (all suites but the nightly one), `npm test -- kernel interop` (some), `npm run test:unit` (one; no root, no Debian
// packages, no Go), `npm run test:nightly` (one; takes half an hour).
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runEntry } from "./entry.mjs";
import { prepare } from "./prepare.mjs";
import { repositoryRoot } from "./repository.mjs";
import { runInForeground } from "./run-command.mjs";
import { chosenSuites, closingLine, compiledTest, USUAL_SUITES } from "./suites.mjs";

const MINUTE_MS = 60_000;
const COUNT_REPORTER = fileURLToPath(new URL("count-reporter.mjs", import.meta.url));
const LAB_COMMAND = join(repositoryRoot, "dist", "lab", "cli", "lab.js");

await runEntry(import.meta.url, async (progress, args) => {
  const suites = chosenSuites(args);
  await prepare(progress, {
    system: suites.some(({ system }) => system),
    toolchain: suites.some(({ toolchain }) => toolchain),
  });

  /** @type {string[]} */
  const complaints = [];
  if (suites.length === USUAL_SUITES.length) {
    const code = await progress.step("lint", () =>
      runInForeground("npm", ["run", "--silent", "lint"], { directory: repositoryRoot }),
    );
    if (code !== 0) complaints.push("lint found mistakes");
  }

  const counts = [];
  for (const suite of suites) {
    const { code, count } = await progress.step(`suite ${suite.name}`, () => runSuite(suite));
    counts.push(count);
    if (count.passed + count.failed === 0) complaints.push(`suite ${suite.name} ran no test`);
    else if (code !== 0 || count.failed > 0) complaints.push(`suite ${suite.name} failed`);
  }
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
  process.stdout.write(`${closingLine(counts)}\n`);
  return complaints.length === 0 ? 0 : 1;
});

/**
 * @param {import("./suites.mjs").Suite} suite
 * @returns {Promise<{ code: number, count: import("./suites.mjs").Counts }>}
 */
async function runSuite(suite) {
  const files = testSources(suite.name).map(compiledTest);
  // Without files the runner would look for some by itself.
  if (files.length === 0) return { code: 1, count: { passed: 0, failed: 0, skipped: 0 } };
  const scratch = mkdtempSync(join(tmpdir(), "vlan-router-test-"));
  try {
    const countFile = join(scratch, "count.json");
    const code = await runInForeground(
      "node",
      [
        "--test",
        `--test-concurrency=${suite.parallel ? availableParallelism() : 1}`,
        `--test-timeout=${suite.timeoutMinutes * MINUTE_MS}`,
        // A test that ran out of time may have left a process or a timer that would keep its file open for ever.
        "--test-force-exit",
        ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
        ...[`--test-reporter=${COUNT_REPORTER}`, `--test-reporter-destination=${countFile}`],
        ...files,
      ],
      { directory: repositoryRoot, timeoutMs: suite.limitMinutes * MINUTE_MS },
    );
    const counted = readFileSync(countFile, "utf8");
    // A runner that was killed counts nothing.
    return { code, count: counted === "" ? { passed: 0, failed: 1, skipped: 0 } : JSON.parse(counted) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    if (suite.lab !== undefined) await runInForeground("node", [LAB_COMMAND, "--lab", suite.lab, "down"]);
  }
}

/**
 * The sources decide what is run: the compiler leaves the output of deleted tests behind.
 *
 * @param {string} suite
 * @returns {readonly string[]} paths in the repository, sorted
 */
function testSources(suite) {
  const folder = join("tests", suite);
  return readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(folder, file))
    .sort();
}
