import fs from "node:fs";
import type { Applied, CommandRunner, FdbWriter } from "../../agent-image/agent/kernel/index.js";
import { type Operation, operationText } from "../../model/index.js";

/**
 * Counts what the reconciler does to the kernel, and kills its process after a given number of operations: where a power cut or
 * `kill -9` strikes, in the middle of a batch too. It stands at the edge, where commands are started and sysctls are written, and
 * knows nothing of what they are for.
 */
export class OperationBudget implements CommandRunner {
  /** In the order in which they were done, without those that only read. */
  readonly done: string[] = [];
  private readonly inner: CommandRunner;
  private left = Number.POSITIVE_INFINITY;

  constructor(inner: CommandRunner) {
    this.inner = inner;
    const write = fs.writeFileSync;
    // The reconciler looks the function up in the module with each call.
    fs.writeFileSync = (path, data, ...rest) => {
      const isSysctl = String(path).startsWith("/proc/sys/");
      if (isSysctl) this.endIfSpent();
      write(path, data, ...rest);
      if (isSysctl) this.spend([`sysctl ${String(path)}`]);
    };
  }

  /** The process ends after so many operations more; with 0 before the next one. */
  limit(operations: number): void {
    this.left = operations;
    this.done.length = 0;
  }

  async run(argv: readonly string[], input?: string): Promise<string> {
    if (isRead(argv)) return this.inner.run(argv, input);
    this.endIfSpent();
    const lines = argv.includes("-batch") ? (input ?? "").trimEnd().split("\n") : [];
    if (lines.length <= this.left) {
      // What fails is an attempt as well; the reconciler goes on after it.
      const output = await this.inner.run(argv, input);
      this.spend(lines.length === 0 ? [argv.join(" ")] : lines);
      return output;
    }
    await this.inner.run(
      argv,
      lines
        .slice(0, this.left)
        .map((line) => `${line}\n`)
        .join(""),
    );
    return die();
  }

  /** For what goes to the kernel without a program. */
  fdb(inner: FdbWriter): FdbWriter {
    const applyOne = async (operation: Operation): Promise<Applied> => {
      this.endIfSpent();
      const applied = await inner.apply([operation]);
      this.spend([operationText(operation)]);
      return applied;
    };
    return {
      apply: async (operations) => {
        const results: Applied[] = [];
        for (const operation of operations) results.push(await applyOne(operation));
        return { done: results.flatMap(({ done }) => done), errors: results.flatMap(({ errors }) => errors) };
      },
    };
  }

  private spend(operations: readonly string[]): void {
    this.done.push(...operations);
    this.left -= operations.length;
    this.endIfSpent();
  }

  private endIfSpent(): void {
    if (this.left <= 0) die();
  }
}

/** `nft list`, `ip -json address show`, and batches of questions, for which JSON is asked. */
function isRead(argv: readonly string[]): boolean {
  return argv.includes("-json") || argv.includes("list");
}

/** No handler and no `finally` runs after it. */
function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("SIGKILL did not end the process");
}
