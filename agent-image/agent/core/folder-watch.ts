import { type FSWatcher, statSync, watch } from "node:fs";

/** Hears of changes in a folder, also of one that comes later or takes the place of another of its name. */
export class FolderWatch {
  readonly #folder: string;
  readonly #onChange: (name: string | null) => void;
  readonly #onError: (error: Error) => void;
  #watcher: FSWatcher | undefined;
  /** Of the folder that is watched. */
  #identity: string | undefined;
  /** Why it is not watched, as it was told last. */
  #trouble: string | undefined;

  /**
   * @param onChange hears the name of what changed in the folder, null where the kernel tells none
   * @param onError hears, once for each reason, that the folder cannot be watched
   */
  constructor(folder: string, onChange: (name: string | null) => void, onError: (error: Error) => void) {
    this.#folder = folder;
    this.#onChange = onChange;
    this.#onError = onError;
    this.renew();
  }

  /** To be called now and then: inotify(7) follows the folder of before, whatever has its name now. */
  renew(): void {
    try {
      const { dev, ino, birthtimeNs } = statSync(this.#folder, { bigint: true });
      // The number of a folder that is gone may be given to the next one.
      const identity = `${dev} ${ino} ${birthtimeNs}`;
      if (identity === this.#identity) return;
      this.close();
      this.#watcher = watch(this.#folder, (_event, name) => this.#onChange(name)).on("error", (error) =>
        this.#fail(error),
      );
      this.#identity = identity;
      this.#trouble = undefined;
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    this.close();
    if (error.message !== this.#trouble) {
      this.#trouble = error.message;
      this.#onError(error);
    }
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#identity = undefined;
  }
}
