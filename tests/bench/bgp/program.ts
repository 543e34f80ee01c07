import { createInterface } from "node:readline";
import { ENTRY_WAITING_PARENTS } from "../../../lab/isolation/index.js";
import { childEnd, signalEntered } from "../../../lab/processes/index.js";
import type { TestNamespaces } from "../../support/namespace.js";

/** Milliseconds that a line may take: several times what the slowest receiver needed on a busy machine. */
const lineLimit = 30_000;

/** A line did not come in time. */
export class Unheard extends Error {}

/** A program in a place that takes lines and says lines, the first word of which tells what they are about. */
export class Program {
  readonly #child: ReturnType<TestNamespaces["spawn"]>;
  readonly #said: string[] = [];
  readonly #waiting = new Set<() => void>();
  #ended = false;

  constructor(fabric: TestNamespaces, place: string, argv: readonly string[]) {
    this.#child = fabric.spawn(place, argv, { stdio: ["pipe", "pipe", "inherit"] });
    const wake = () => {
      for (const look of [...this.#waiting]) look();
    };
    if (this.#child.stdout === null) throw new Error("a program without output");
    const lines = createInterface({ input: this.#child.stdout });
    lines.on("line", (line) => {
      this.#said.push(line);
      wake();
    });
    lines.on("close", () => {
      this.#ended = true;
      wake();
    });
  }

  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** The rest of the next line that begins with these words; lines that came before it are forgotten. */
  hears(words: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const settle = (action: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        action();
      };
      const look = (): void => {
        const position = this.#said.findIndex((line) => line === words || line.startsWith(`${words} `));
        if (position !== -1) {
          const [line = ""] = this.#said.splice(0, position + 1).slice(-1);
          settle(() => resolve(line.slice(words.length + 1)));
        } else if (this.#ended) {
          settle(() => reject(new Error(`a program ended before it said "${words}"`)));
        }
      };
      const timer = setTimeout(
        () => settle(() => reject(new Unheard(`nothing began with "${words}" within ${lineLimit} ms`))),
        lineLimit,
      );
      this.#waiting.add(look);
      look();
    });
  }

  /** Nanoseconds of CLOCK_MONOTONIC, which all processes share, as the last word of such a line. */
  async hearsTime(words: string): Promise<bigint> {
    return BigInt((await this.hears(words)).split(" ").at(-1) ?? "");
  }

  async end(): Promise<void> {
    await signalEntered(this.#child, ENTRY_WAITING_PARENTS, "SIGKILL");
    await childEnd(this.#child);
  }
}
