import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../addresses/metallb-objects.js";
import { type ApiClient, ApiError, type WatchEvent } from "./api-client.js";

/** Milliseconds; doubled from one failure to the next. */
const firstRetryDelay = 500;
const longestRetryDelay = 15_000;
/** Milliseconds that a watch must have lived to count as a success: one that ends or is refused at once is a failure. */
const steadyWatch = 5_000;
/** Milliseconds between two looks for a kind that the API server does not know (yet): MetalLB may come later. */
const missingKindDelay = 5_000;
/** Seconds after which the server ends a watch; spread, so that a cluster's agents do not come back together. */
const watchDuration = (): string => String(Math.round(240 + 120 * Math.random()));

export interface CollectionOptions {
  readonly client: ApiClient;
  /** Path of the list, e.g. `/api/v1/nodes`. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  readonly onChange: () => void;
}

export type CollectionState = "syncing" | "synced" | "missing" | "refused" | "failing";

/** All objects of a list, kept current: list, watch, and list again when the server forgot where we were. */
export class Collection<Item extends KubernetesObject> {
  /** Why the list cannot be kept current now, for people. */
  problem: string | undefined;
  state: CollectionState = "syncing";

  readonly #options: CollectionOptions;
  readonly #stop = new AbortController();
  #items: ReadonlyMap<string, Item> | undefined;

  constructor(options: CollectionOptions) {
    this.#options = options;
    void this.#follow();
  }

  /** Undefined until the list was read once. A kind that the server does not know is an empty list. */
  get items(): readonly Item[] | undefined {
    return this.#items === undefined ? undefined : [...this.#items.values()];
  }

  close(): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    let delay = firstRetryDelay;
    while (!signal.aborted) {
      try {
        let resourceVersion = await this.#list();
        this.#report("synced", undefined);
        while (!signal.aborted) {
          const began = performance.now();
          const steady = (): boolean => performance.now() - began >= steadyWatch;
          try {
            resourceVersion = await this.#watch(resourceVersion);
          } finally {
            delay = steady() ? firstRetryDelay : delay;
          }
          if (!steady()) {
            await this.#pause(delay);
            delay = longer(delay);
          }
        }
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        const wait = this.#failed(error as Error, delay);
        delay = longer(delay);
        await this.#pause(wait);
      }
    }
  }

  /** @param wait milliseconds; cut short when the collection is closed */
  async #pause(wait: number): Promise<void> {
    await sleep(wait, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }

  async #list(): Promise<string> {
    const { client, path } = this.#options;
    const list = await client.request<{ metadata: { resourceVersion: string }; items: readonly Item[] }>({
      method: "GET",
      path,
      query: this.#selectors(),
      signal: this.#stop.signal,
    });
    const items = new Map(list.items.map((item) => [keyOf(item), item]));
    this.#items = items;
    this.#options.onChange();
    return list.metadata.resourceVersion;
  }

  async #watch(from: string): Promise<string> {
    const { client, path } = this.#options;
    let resourceVersion = from;
    const query = { ...this.#selectors(), resourceVersion, timeoutSeconds: watchDuration() };
    for await (const event of client.watch<Item>(path, query, this.#stop.signal)) {
      if (event.type === "ERROR") {
        const { code, message } = event.object as unknown as { code: number; message: string };
        throw new ApiError(code, { method: "GET", path }, message);
      }
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
      this.#take(event);
    }
    return resourceVersion;
  }

  #take({ type, object }: WatchEvent<Item>): void {
    if (type === "BOOKMARK") {
      return;
    }
    const items = new Map(this.#items);
    if (type === "DELETED") {
      items.delete(keyOf(object));
    } else {
      items.set(keyOf(object), object);
    }
    this.#items = items;
    this.#options.onChange();
  }

  /** Notes a failure and gives the milliseconds to wait. */
  #failed(error: Error, delay: number): number {
    const status = error instanceof ApiError ? error.status : undefined;
    if (status === 410) {
      return 0;
    }
    if (status === 404) {
      // No statement can be made about objects of a kind that is not served: what was there before is kept by those
      // who care (absence never ends a claim).
      this.#items = new Map();
      this.#report("missing", `waiting for ${this.#options.path}: the API server does not serve it (yet)`);
      return missingKindDelay;
    }
    if (status === 401 || status === 403) {
      // Right after an installation the API server may not have read the new roles yet.
      this.#report("refused", `${error.message}; grant the verbs get, list and watch`);
      return delay;
    }
    this.#report("failing", error.message);
    return delay * (0.5 + Math.random());
  }

  #report(state: CollectionState, problem: string | undefined): void {
    const changed = this.state !== state || this.problem !== problem;
    this.state = state;
    this.problem = problem;
    if (changed) {
      this.#options.onChange();
    }
  }

  #selectors(): Record<string, string> {
    const { fieldSelector, labelSelector } = this.#options;
    return {
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    };
  }
}

function longer(delay: number): number {
  return Math.min(delay * 2, longestRetryDelay);
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
