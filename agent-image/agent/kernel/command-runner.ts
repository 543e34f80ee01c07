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

/** @param limit milliseconds after which a program is killed and counts as failed */
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
      const overtime = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new CommandFailure(argv, `did not end within ${limit / 1000} s and was killed`));
      }, limit);
      child.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(overtime);
        const hint = error.code === "ENOENT" ? `${program} is not installed or not on PATH` : error.message;
        reject(new CommandFailure(argv, hint, { cause: error }));
      });
      child.on("close", (code) => {
        clearTimeout(overtime);
        if (code === 0) resolve(Buffer.concat(stdout).toString("utf8"));
        else reject(new CommandFailure(argv, Buffer.concat(stderr).toString("utf8")));
      });
    }),
});

export const systemCommands = commandsWithin(COMMAND_LIMIT);
