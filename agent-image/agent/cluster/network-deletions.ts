import type { PublicNetworkObject } from "../../../model/index.js";
import { ApiError } from "./api-client.js";

/** What the deletions of PublicNetworks mean, by uid. A deletion that stands in neither set has not been judged yet. */
export interface Deletions {
  /** Somebody asked for it: nodes remove the network. */
  readonly asked: ReadonlySet<string>;
  /** The end of the CustomResourceDefinition took the object along: nobody said that the network should go. */
  readonly swept: ReadonlySet<string>;
}

/** As much of a CustomResourceDefinition as matters here. */
export interface Definition {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
}

export interface NetworkDeletionsOptions {
  /** Reads the definition of PublicNetwork; throws an ApiError when the API server has none or refuses. */
  readonly readDefinition: () => Promise<Definition>;
  readonly onChange: () => void;
  readonly onError: (error: Error, doing: string) => void;
  /** Milliseconds after which a definition that could not be read is read again. */
  readonly retryDelay: number;
}

/**
 * Tells a deletion that somebody asked for from one that comes along with the definition's: the API server marks a
 * definition first and then deletes its objects one by one (apiextensions-apiserver, the finalizer
 * `customresourcecleanup.apiextensions.k8s.io`), so a definition that is read after the object's mark was seen decides.
 */
export class NetworkDeletions implements Deletions {
  readonly asked = new Set<string>();
  readonly swept = new Set<string>();
  readonly #options: NetworkDeletionsOptions;
  #networks: readonly PublicNetworkObject[] = [];
  /** By a network's uid, the uid of the definition under which it was seen: one that was made anew says nothing of it. */
  #definitions: ReadonlyMap<string, string> = new Map();
  #reading: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NetworkDeletionsOptions) {
    this.#options = options;
  }

  /** Takes note of all that are listed; what is marked for deletion is judged in the background. */
  look(networks: readonly PublicNetworkObject[]): void {
    this.#networks = networks;
    if (networks.some((network) => this.#isOpen(network))) this.#read();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
  }

  #isOpen({ metadata: { uid, deletionTimestamp } }: PublicNetworkObject): boolean {
    if (uid === undefined || this.asked.has(uid) || this.swept.has(uid)) return false;
    return deletionTimestamp !== undefined || !this.#definitions.has(uid);
  }

  #read(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#reading ??= this.#judge(this.#networks).then(
      () => {
        this.#reading = undefined;
        this.look(this.#networks);
      },
      (error: Error) => {
        this.#reading = undefined;
        this.#options.onError(error, doing);
        this.#retry = setTimeout(() => this.#read(), this.#options.retryDelay);
      },
    );
  }

  /** @param networks as they were listed before the definition is read */
  async #judge(networks: readonly PublicNetworkObject[]): Promise<void> {
    const definition = await this.#definition();
    const known = this.#definitions;
    const definitions = new Map<string, string>();
    let judged = false;
    for (const { metadata } of networks) {
      const { uid, deletionTimestamp } = metadata;
      if (uid === undefined) continue;
      const seenUnder = known.get(uid) ?? definition.uid;
      definitions.set(uid, seenUnder);
      if (deletionTimestamp === undefined || this.asked.has(uid) || this.swept.has(uid)) continue;
      (definition.ending || seenUnder !== definition.uid ? this.swept : this.asked).add(uid);
      judged = true;
    }
    this.#definitions = definitions;
    if (judged) this.#options.onChange();
  }

  async #definition(): Promise<{ readonly uid: string; readonly ending: boolean }> {
    try {
      const { uid, deletionTimestamp } = (await this.#options.readDefinition()).metadata;
      return { uid, ending: deletionTimestamp !== undefined };
    } catch (error) {
      const status = error instanceof ApiError ? error.status : undefined;
      if (status === 404) return { uid: "", ending: true };
      if (status !== 403) throw error;
      // Rights of an older installation do not name definitions: with them a mark counts as asked for, as it always did.
      this.#options.onError(error as Error, doing);
      return { uid: "", ending: false };
    }
  }
}

const doing = "reading the definition of PublicNetwork";
