/** An entry that a copy holds otherwise, or not at all; undefined: there is none. */
export interface EntryChange {
  readonly key: string;
  readonly held: string | undefined;
  readonly wanted: string | undefined;
}

/** Entries of which somebody else holds a copy: knows what the copy lacks without comparing it. */
export class CopiedEntries {
  readonly #wanted = new Map<string, string>();
  /** What the copy holds, where that differs from what is wanted; undefined: there is no copy yet. */
  #held: Map<string, string | undefined> | undefined;

  get entries(): ReadonlyMap<string, string> {
    return this.#wanted;
  }

  /** @param wanted undefined takes the entry away */
  set(key: string, wanted: string | undefined): void {
    const before = this.#wanted.get(key);
    if (before === wanted) {
      return;
    }
    if (wanted === undefined) {
      this.#wanted.delete(key);
    } else {
      this.#wanted.set(key, wanted);
    }
    if (this.#held === undefined) {
      return;
    }
    if (!this.#held.has(key)) {
      this.#held.set(key, before);
    } else if (this.#held.get(key) === wanted) {
      this.#held.delete(key);
    }
  }

  replace(entries: ReadonlyMap<string, string>): void {
    for (const key of this.#wanted.keys()) {
      if (!entries.has(key)) {
        this.set(key, undefined);
      }
    }
    for (const [key, wanted] of entries) {
      this.set(key, wanted);
    }
  }

  /** The copy is made equal by other means. */
  copied(): void {
    this.#held = new Map();
  }

  /** What the copy has to change; from now on it counts as changed. */
  takeChanges(): readonly EntryChange[] {
    const held: ReadonlyMap<string, string | undefined> =
      this.#held ?? new Map([...this.#wanted.keys()].map((key) => [key, undefined]));
    this.copied();
    return [...held].map(([key, before]) => ({ key, held: before, wanted: this.#wanted.get(key) }));
  }
}
