import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { inputFile } from "./input-file.js";

/** Runs iproute2 and nft. An interface, so that failures and slow programs can be put in its place. */
export interface CommandRunner {
  /**
   * Runs a program to its end and gives its standard output.
   *
   * @throws CommandFailure when it exits non-zero or cannot be started.
   */
  run(argv: readonly string[], input?: string): Promise<string>;
}

export class CommandFailure extends Error {
  readonly argv: readonly string[];
  /** What the program wrote to standard error, in the C locale. */
  readonly stderr: string;

  constructor(argv: readonly string[], stderr: string, options?: ErrorOptions) {
    super(`${argv.join(" ")}: ${stderr.trim() || "failed without a message"}`, options);
    this.name = "CommandFailure";
    this.argv = argv;
    this.stderr = stderr;
  }
}

/** Kernel errors arrive as the C library's texts, which a translated locale would change. */
const ENVIRONMENT = { ...process.env, LC_ALL: "C" };

/**
 * Milliseconds. The largest batches take a second or two; a program that is still there then hangs, and with it would hang
 * the loop that repairs the node.
 */
const COMMAND_LIMIT = 30_000;
/** Milliseconds in which a killed program is gone, unless it sleeps in the kernel where no signal reaches it. */
const DEATH_LIMIT = 5_000;

/** The node's lock, as far as programs have to know of it. */
export interface HeldLock {
  /** Of the open files that are locked with flock(2); empty while they are not. */
  readonly descriptors: readonly number[];
}

/**
 * A program counts as failed when it has ended: one that is still there could go on changing the kernel beside its successor.
 *
 * @param limit milliseconds after which a program is killed
 * @param lock Programs inherit it, and so it is held until the last of them has ended: the batch of an agent that was killed goes
 *   on, and neither the next agent nor a clean-up may begin beside it.
 */
export const commandsWithin = (limit: number, lock?: HeldLock): CommandRunner => ({
  run: (argv, input) =>
    new Promise((resolve, reject) => {
      const child = start(argv, input, lock?.descriptors ?? []);
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
      child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
      let killed = false;
      const fail = (why: string): void => reject(new CommandFailure(argv, why));
      let overtime = setTimeout(() => {
        killed = child.kill("SIGKILL");
        const stuck = `did not end within ${limit / 1000} s and cannot be killed: it waits in the kernel`;
        overtime = setTimeout(() => fail(stuck), DEATH_LIMIT);
      }, limit);
      child.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(overtime);
        const hint = error.code === "ENOENT" ? `${argv[0]} is not installed or not on PATH` : error.message;
        reject(new CommandFailure(argv, hint, { cause: error }));
      });
      child.on("exit", () => {
        clearTimeout(overtime);
        // Not `close`: a child of the program may hold its output open for ever.
        if (killed) fail(`did not end within ${limit / 1000} s and was killed`);
      });
      child.on("close", (code) => {
        if (code === 0) resolve(Buffer.concat(stdout).toString("utf8"));
        else fail(Buffer.concat(stderr).toString("utf8"));
      });
    }),
});

function start(argv: readonly string[], input: string | undefined, locks: readonly number[]): ChildProcess {
  const [program, ...args] = argv;
  if (program === undefined) throw new Error("the command is empty");
  const stdin = input === undefined ? undefined : inputFile(input);
  try {
    return spawn(program, args, {
      env: ENVIRONMENT,
      stdio: [stdin ?? "ignore", "pipe", "pipe", ...locks],
    });
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
}

/** Without a lock: for what only reads. */
export const systemCommands = commandsWithin(COMMAND_LIMIT);

/** For what changes the kernel of a node. */
export function lockedCommands(lock: HeldLock): CommandRunner {
  return commandsWithin(COMMAND_LIMIT, lock);
}
