import { BgpError, type ErrorCode } from "./bgp-error.js";

/** A cursor over received bytes that checks every length before it reads (FRRouting/frr#6924: a short route read past the heap). */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #onShort: ErrorCode;
  readonly #clause: string | undefined;
  #offset = 0;

  /** `onShort` is the error that a peer gets when the bytes end too early, `clause` the rule that says so. */
  constructor(bytes: Buffer, onShort: ErrorCode, clause?: string) {
    this.#bytes = bytes;
    this.#onShort = onShort;
    this.#clause = clause;
  }

  get offset(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  uint8(field: string): number {
    return this.#bytes.readUInt8(this.#advance(1, field));
  }

  uint16(field: string): number {
    return this.#bytes.readUInt16BE(this.#advance(2, field));
  }

  uint24(field: string): number {
    return this.#bytes.readUIntBE(this.#advance(3, field), 3);
  }

  uint32(field: string): number {
    return this.#bytes.readUInt32BE(this.#advance(4, field));
  }

  /** A view, not a copy. */
  bytes(length: number, field: string): Buffer {
    const start = this.#advance(length, field);
    return this.#bytes.subarray(start, start + length);
  }

  rest(): Buffer {
    const start = this.#offset;
    this.#offset = this.#bytes.length;
    return this.#bytes.subarray(start);
  }

  #advance(length: number, field: string): number {
    if (length > this.remaining) {
      const message = `${field} needs ${length} bytes but only ${this.remaining} are left`;
      throw new BgpError(this.#onShort, message, undefined, this.#clause);
    }
    const start = this.#offset;
    this.#offset += length;
    return start;
  }
}
