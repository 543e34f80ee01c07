import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ENTERING_MS } from "./entered-child.js";
import { killFamily } from "./kill-family.js";
import { logTail } from "./log-tail.js";
import { descend, formatIdentity, isAlive, type ProcessIdentity, parseIdentity, signal } from "./process-identity.js";
import { waitFor } from "./wait-for.js";

/** How long a daemon has to leave after its stop signal before it is killed. */
const GRACE_MS = 5_000;
const READY_MS = 30_000;

export interface DaemonSpec {
  /** For messages. */
  readonly name: string;
  readonly argv: readonly string[];
  /** Takes standard output and error; it is appended to. */
  readonly log: string;
  /** Takes the identity of the daemon: "pid starttime", the pid as this process sees it. */
  readonly pidFile: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /**
   * How many programs of `argv` only wait for a child that is the next one: 1 for `nsenter --pid`, 1 more for `unshare
   * --fork`. They pass no signals on, so the process that is recorded and signalled is the one below them.
   */
  readonly waitingParents?: number;
  /** Tells when the daemon can be used; without it, it is ready when it runs. */
  readonly ready?: (daemon: ProcessIdentity) => boolean | Promise<boolean>;
  /** Milliseconds for `ready`. */
  readonly readyTimeout?: number;
}

/**
 * Starts a program that outlives this process and waits until it is ready.
 *
 * @throws With the end of its log when it ends, or is not ready in time; it does not run then.
 */
export async function startDaemon(spec: DaemonSpec): Promise<ProcessIdentity> {
  const running = findDaemon(spec.pidFile);
  if (running !== undefined) throw new Error(`${spec.name} runs already as pid ${running.pid}; stop it first`);
  const [program, ...args] = spec.argv;
  if (program === undefined) throw new Error(`${spec.name}: the command is empty`);

  mkdirSync(dirname(spec.log), { recursive: true });
  mkdirSync(dirname(spec.pidFile), { recursive: true });
  const log = openSync(spec.log, "a");
  const child = spawn(program, args, {
    cwd: spec.cwd,
    env: { ...process.env, ...spec.env },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  let ended: string | undefined;
  child.on("error", (error) => {
    ended = error.message;
  });
  child.on("exit", (code, name) => {
    ended = name === null ? `it ended with exit code ${code}` : `it was ended by ${name}`;
  });
  child.unref();

  const failed = (why: string) => new Error(`${spec.name} did not start: ${why}${logTail(spec.log)}`);
  try {
    const identity = await waitFor(
      `${spec.name} to start`,
      () => {
        if (ended !== undefined) throw failed(ended);
        return child.pid !== undefined && descend(child.pid, spec.waitingParents ?? 0);
      },
      { timeout: ENTERING_MS, interval: 2, log: spec.log },
    );
    writeFileSync(spec.pidFile, formatIdentity(identity));
    await waitFor(
      `${spec.name} to be ready`,
      async () => {
        if (ended !== undefined) throw failed(ended);
        if (!isAlive(identity)) throw failed("it ended");
        return spec.ready === undefined || (await spec.ready(identity));
      },
      { timeout: spec.readyTimeout ?? READY_MS, log: spec.log },
    );
    return identity;
  } catch (error) {
    if (child.pid !== undefined && ended === undefined) await killFamily(child.pid);
    rmSync(spec.pidFile, { force: true });
    throw error;
  }
}

/** The daemon of this pid file, when it is alive. */
export function findDaemon(pidFile: string): ProcessIdentity | undefined {
  let text: string;
  try {
    text = readFileSync(pidFile, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const identity = parseIdentity(text);
  return identity !== undefined && isAlive(identity) ? identity : undefined;
}

export interface StopOptions {
  /** What it is asked to leave with; SIGTERM when left out. */
  readonly signal?: NodeJS.Signals;
  /** Milliseconds until it is killed. */
  readonly grace?: number;
}

/** Ends the daemon of this pid file and waits until it is gone. Nothing happens when it is not alive. */
export async function stopDaemon(pidFile: string, options: StopOptions = {}): Promise<void> {
  const identity = findDaemon(pidFile);
  if (identity !== undefined) {
    signal(identity, options.signal ?? "SIGTERM");
    const gone = () => !isAlive(identity);
    try {
      await waitFor("a daemon to leave", gone, { timeout: options.grace ?? GRACE_MS, interval: 5 });
    } catch {
      signal(identity, "SIGKILL");
      await waitFor(`pid ${identity.pid} to be gone after SIGKILL`, gone, { interval: 5 });
    }
  }
  rmSync(pidFile, { force: true });
}
