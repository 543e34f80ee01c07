import { spawn } from "node:child_process";
import { exitCode } from "./exit-code.js";
import { killFamily } from "./kill-family.js";

export interface RunOptions {
  /** What the program reads from standard input; without it, standard input is empty. */
  readonly input?: string | Uint8Array;
  /** Milliseconds; then the program and its children are killed. No limit without it. */
  readonly timeout?: number;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** `false`: an exit code other than 0 is returned instead of thrown. */
  readonly check?: boolean;
}

export interface Result {
  /** Exit code; 128 + signal number when a signal ended the program, as shells count. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program ended with another exit code than 0, or ran too long. */
export class CommandError extends Error {
  readonly argv: readonly string[];
  readonly result: Result;

  constructor(argv: readonly string[], result: Result, why: string) {
    super(`${argv.join(" ")}: ${why}${output(result)}`);
    this.name = "CommandError";
    this.argv = argv;
    this.result = result;
  }
}

/**
 * Runs a program to its end and returns what it said.
 *
 * @throws CommandError on an exit code other than 0 (unless `check` is false) and when the time is over.
 */
export function run(argv: readonly string[], options: RunOptions = {}): Promise<Result> {
  const [program, ...args] = argv;
  if (program === undefined) throw new Error("run: the command is empty");
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const result = (code: number): Result => ({
      code,
      stdout: Buffer.concat(stdout).toString("utf8"),
      stderr: Buffer.concat(stderr).toString("utf8"),
    });
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    // The program may end before it has read everything; its exit code tells more than EPIPE.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input);

    let late: CommandError | undefined;
    const onOvertime = () => {
      late = new CommandError(argv, result(137), `killed after ${options.timeout} ms, the time that it was given`);
      // The whole family: a child of the program that keeps the pipes open would keep us waiting for their end.
      killFamily(child.pid ?? 0).then(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        reject(late);
      }, reject);
    };
    const overtime = options.timeout === undefined ? undefined : setTimeout(onOvertime, options.timeout);

    child.on("error", (error) => {
      clearTimeout(overtime);
      reject(new Error(`${program}: ${error.message}`, { cause: error }));
    });
    child.on("close", (code, name) => {
      clearTimeout(overtime);
      if (late !== undefined) return;
      const ended = result(exitCode(code, name));
      if (ended.code === 0 || options.check === false) resolve(ended);
      else reject(new CommandError(argv, ended, name === null ? `exit code ${code}` : `ended by ${name}`));
    });
  });
}

function output({ stdout, stderr }: Result): string {
  const text = (stderr.trim() || stdout.trim()).split("\n").slice(-15).join("\n");
  return text === "" ? "" : `\n${text}`;
}
