import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { constants } from "node:os";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

/** How much of a failed command's output stands in the error; the log has all of it. */
const QUOTED_LINES = 40;

/**
 * Runs a command quietly: its output goes to a log file, the newest line to `detail`.
 *
 * @param {object} options
 * @param {string} options.program
 * @param {readonly string[]} options.arguments
 * @param {string} options.logFile Written anew.
 * @param {(line: string) => void} options.detail
 * @param {string} [options.directory]
 * @param {NodeJS.ProcessEnv} [options.environment]
 * @returns {Promise<void>}
 * @throws when the command fails, with the last lines of its output and where all of it is
 */
export async function runQuietly({ program, arguments: args, logFile, detail, directory, environment }) {
  mkdirSync(dirname(logFile), { recursive: true });
  const child = spawn(program, args, {
    cwd: directory,
    env: environment ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(logFile);
  /** @type {string[]} */
  const lastLines = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => {
      log.write(`${line}\n`);
      if (line.trim() === "") return;
      lastLines.push(line);
      if (lastLines.length > QUOTED_LINES) lastLines.shift();
      detail(line.trim());
    });
  }
  const code = await ended(child);
  log.end();
  if (code !== 0) {
    const quoted = lastLines.map((line) => `  ${line}`).join("\n");
    throw new Error(`"${program} ${args.join(" ")}" failed (${code}), full log in ${logFile}:\n${quoted}`);
  }
}

/**
 * Runs a command in the foreground: it has this process's terminal.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ directory?: string, timeoutMs?: number }} [options] after `timeoutMs` it gets SIGTERM
 * @returns {Promise<number>} exit code, 128 + signal number when a signal ended it
 */
export async function runInForeground(program, args, { directory, timeoutMs } = {}) {
  const child = spawn(program, args, { cwd: directory, stdio: "inherit" });
  // Ctrl-C reaches the child too: it decides what to do, and this process waits for it. A termination is passed on.
  const ignore = () => {};
  const passOn = () => void child.kill("SIGTERM");
  process.on("SIGINT", ignore);
  process.on("SIGTERM", passOn);
  const overtime = timeoutMs === undefined ? undefined : setTimeout(passOn, timeoutMs);
  try {
    return await ended(child);
  } finally {
    clearTimeout(overtime);
    process.off("SIGINT", ignore);
    process.off("SIGTERM", passOn);
  }
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<number>}
 */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
