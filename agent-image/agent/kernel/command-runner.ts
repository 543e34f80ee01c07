import { spawn } from "node:child_process";

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

/**
 * A program counts as failed when it has ended: one that is still there could go on changing the kernel beside its successor.
 *
 * @param limit milliseconds after which a program is killed
 */
export const commandsWithin = (limit: number): CommandRunner => ({
  run: (argv, input) =>
    new Promise((resolve, reject) => {
      const [program, ...args] = argv;
      if (program === undefined) throw new Error("the command is empty");
      const child = spawn(program, args, { env: ENVIRONMENT, stdio: ["pipe", "pipe", "pipe"] });
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
      // A program that stops at an error reads no further; its own message says more than EPIPE.
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
      let killed = false;
      const fail = (why: string): void => reject(new CommandFailure(argv, why));
      let overtime = setTimeout(() => {
        killed = child.kill("SIGKILL");
        const stuck = `did not end within ${limit / 1000} s and cannot be killed: it waits in the kernel`;
        overtime = setTimeout(() => fail(stuck), DEATH_LIMIT);
      }, limit);
      child.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(overtime);
        const hint = error.code === "ENOENT" ? `${program} is not installed or not on PATH` : error.message;
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

export const systemCommands = commandsWithin(COMMAND_LIMIT);
