/**
 * The text of a field that one route after the other repeats: made anew only where the bytes differ from those before. It saves
 * the work, and a hundred thousand copies of the same text in memory.
 */
export class SharedText {
  readonly #bytes: Buffer;
  readonly #length: number;
  readonly #toText: (value: Buffer) => string;
  #last: { readonly offset: number; readonly text: string } | undefined;

  /** @param length of the field, in bytes */
  constructor(bytes: Buffer, length: number, toText: (value: Buffer) => string) {
    this.#bytes = bytes;
    this.#length = length;
    this.#toText = toText;
  }

  at(offset: number): string {
    if (this.#last === undefined || !this.#isSame(this.#last.offset, offset)) {
      this.#last = { offset, text: this.#toText(this.#bytes.subarray(offset, offset + this.#length)) };
    }
    return this.#last.text;
  }

  #isSame(one: number, other: number): boolean {
    for (let position = 0; position < this.#length; position++) {
      if (this.#bytes[one + position] !== this.#bytes[other + position]) {
        return false;
      }
    }
    return true;
  }
}
