import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { selects } from "../../../model/configuration/node-selector.js";
import { networkRevision, networkSpec, parseConfigurationFile, renderMistake, sharedBy } from "../../../model/index.js";
import type { CarriedNetwork } from "./carried-network.js";
import { Coalesced } from "./coalesced.js";
import { FolderWatch } from "./folder-watch.js";
import type { LastGood } from "./last-good.js";
import type { AgentLog, ConfigurationSource, Desired } from "./ports.js";
import { readRegularFile } from "./regular-file.js";

/** Milliseconds: an editor writes a file in several steps. */
const readDelay = 100;
/**
 * Milliseconds between two looks at the file when nothing is heard: of a symbolic link only the folder that it lies in is
 * watched, not what it leads through, and a file system of other machines tells nothing (inotify(7)). A look costs one read of
 * a small file.
 */
const lookPeriod = 5_000;

/**
 * The configuration of a node without Kubernetes: a file, read again when it changes, when `reload` is called, and now and then.
 */
export class FileSource implements ConfigurationSource {
  readonly #path: string;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #lastGood: LastGood;
  readonly #onChange: () => void;
  readonly #log: AgentLog;
  readonly #reads: Coalesced;
  readonly #watch: FolderWatch;
  readonly #looks: NodeJS.Timeout;
  #text: string | undefined;
  /** Why the file cannot be used, as it was told last. */
  #mistakes: readonly string[] | undefined;
  #desired: Desired | undefined;

  private constructor(path: string, nodeName: string, lastGood: LastGood, log: AgentLog, onChange: () => void) {
    this.#path = path;
    // What kubelet would label the node with: one file can serve several hosts.
    this.#labels = { "kubernetes.io/hostname": nodeName };
    this.#lastGood = lastGood;
    this.#log = log;
    this.#onChange = onChange;
    const kept = lastGood.carried();
    this.#desired = kept === undefined ? undefined : { networks: kept.networks };
    this.#reads = new Coalesced(
      () => this.#read(),
      readDelay,
      (error) => this.#refuse([error.message]),
    );
    // The directory, not the file: a file that is replaced by another of its name is not watched any more (inotify(7)).
    this.#watch = new FolderWatch(
      dirname(path),
      (name) => {
        if (name === null || name === basename(path) || name.startsWith("..")) {
          this.reload();
        }
      },
      (error) =>
        log.warn(
          { path, error: error.message },
          `the configuration cannot be watched and is looked at every ${lookPeriod / 1000} s`,
        ),
    );
    this.#looks = setInterval(() => this.#look(), lookPeriod);
  }

  static async open(
    path: string,
    nodeName: string,
    lastGood: LastGood,
    log: AgentLog,
    onChange: () => void,
  ): Promise<FileSource> {
    const source = new FileSource(path, nodeName, lastGood, log, onChange);
    await source.#read();
    return source;
  }

  desired(): Desired | undefined {
    return this.#desired;
  }

  carried(): readonly CarriedNetwork[] | undefined {
    return this.#lastGood.carried()?.networks;
  }

  async applied(carried: readonly CarriedNetwork[]): Promise<void> {
    await this.#lastGood.keep({ networks: carried, removedUids: [] });
  }

  reload(): void {
    this.#reads.request();
  }

  async close(): Promise<void> {
    clearInterval(this.#looks);
    this.#watch.close();
    await this.#reads.close();
  }

  #look(): void {
    this.#watch.renew();
    this.reload();
  }

  async #read(): Promise<void> {
    let text: string;
    try {
      text = await readRegularFile(this.#path);
    } catch (error) {
      // That it can be read again is worth telling, also where nothing in it has changed.
      this.#text = undefined;
      this.#refuse([(error as Error).message]);
      return;
    }
    if (text === this.#text) {
      return;
    }
    this.#text = text;
    const result = parseConfigurationFile(text);
    for (const warning of result.warnings) {
      this.#log.warn({ path: this.#path }, renderMistake(warning));
    }
    if (!result.ok) {
      this.#refuse(result.mistakes.map(renderMistake));
      return;
    }
    this.#mistakes = undefined;
    const { networks } = result.value;
    const shared = sharedBy(result.value);
    this.#desired = {
      networks: networks
        .filter(({ nodeSelector }) => selects(nodeSelector, this.#labels))
        .map((network): CarriedNetwork => {
          const { name } = network;
          const spec = networkSpec(network);
          // A file has no uids; the name takes that place.
          const data = { network: name, uid: name, spec, ...shared };
          return { name, uid: name, revision: networkRevision(data), spec, ...shared };
        }),
    };
    this.#log.info({ path: this.#path, networks: networks.map(({ name }) => name) }, "configuration read");
    this.#onChange();
  }

  /** A bad file never means "remove everything". It is told once, however often it is looked at. */
  #refuse(mistakes: readonly string[]): void {
    if (isDeepStrictEqual(mistakes, this.#mistakes)) {
      return;
    }
    this.#mistakes = mistakes;
    const kept = this.#desired === undefined ? "there is none before it" : "the last good one stays";
    this.#log.error({ path: this.#path, mistakes }, `the configuration cannot be used; ${kept}`);
  }
}
