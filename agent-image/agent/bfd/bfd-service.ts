import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { BfdNews, BfdTarget } from "./bfd-speaker.js";
import type { BfdParameters } from "./parameters.js";
import type { BfdMessage, BfdOrder } from "./thread-messages.js";

/** Sessions of BFD, as those see it who want to know whether a peer is there. */
export interface BfdMonitor {
  open(target: BfdTarget, parameters: BfdParameters, onNews: (news: BfdNews) => void): BfdHandle;
  /** Tells the peers that the end is no failure. Resolves when that has left. */
  end(): Promise<void>;
}

export interface BfdHandle {
  configure(parameters: BfdParameters): void;
  close(): void;
}

interface Watched {
  readonly target: BfdTarget;
  readonly onNews: (news: BfdNews) => void;
  parameters: BfdParameters;
}

/** Milliseconds until the thread is started again that has failed. */
const restartDelay = 1000;

/**
 * BFD in a thread of its own: the main thread may work for longer than a peer waits, on a hundred thousand routes or on a
 * large answer of the kernel, and the peer would take the node for dead. It is started with the first session.
 */
export class BfdService implements BfdMonitor {
  readonly #onFailure: (error: Error) => void;
  readonly #watched = new Map<number, Watched>();
  #worker: Worker | undefined;
  #lastId = 0;
  #cancelRestart: (() => void) | undefined;

  /** @param onFailure the thread has ended by a mistake of this program; it is started again */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
  }

  open(target: BfdTarget, parameters: BfdParameters, onNews: (news: BfdNews) => void): BfdHandle {
    this.#lastId += 1;
    const id = this.#lastId;
    const watched: Watched = { target, parameters, onNews };
    this.#watched.set(id, watched);
    if (this.#worker === undefined && this.#cancelRestart === undefined) {
      this.#start();
    } else {
      this.#order({ kind: "open", id, target, parameters });
    }
    return {
      configure: (wanted) => {
        watched.parameters = wanted;
        this.#order({ kind: "configure", id, parameters: wanted });
      },
      close: () => {
        this.#watched.delete(id);
        this.#order({ kind: "close", id });
      },
    };
  }

  async end(): Promise<void> {
    this.#cancelRestart?.();
    this.#watched.clear();
    const worker = this.#worker;
    if (worker === undefined) {
      return;
    }
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    this.#order({ kind: "end" });
    this.#worker = undefined;
    await ended;
  }

  #start(): void {
    const worker = new Worker(join(__dirname, "bfd-thread.js"));
    this.#worker = worker;
    worker.on("message", ({ id, news }: BfdMessage) => this.#watched.get(id)?.onNews(news));
    worker.on("error", (error: Error) => {
      if (this.#worker !== worker) {
        return;
      }
      this.#worker = undefined;
      this.#onFailure(error);
      for (const { onNews } of this.#watched.values()) {
        onNews({ kind: "problem", problem: { code: "", message: error.message } });
      }
      const timer = setTimeout(() => {
        this.#cancelRestart = undefined;
        this.#start();
      }, restartDelay);
      this.#cancelRestart = () => clearTimeout(timer);
    });
    for (const [id, { target, parameters }] of this.#watched) {
      this.#order({ kind: "open", id, target, parameters });
    }
  }

  #order(order: BfdOrder): void {
    this.#worker?.postMessage(order);
  }
}
