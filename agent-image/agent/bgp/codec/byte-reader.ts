import { BgpError, type ErrorCode } from "./bgp-error.js";

/** A cursor over received bytes that checks every length before it reads (FRRouting/frr#6924: a short route read past the heap). */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #onShort: ErrorCode;
  readonly #clause: string | undefined;
  #offset: number;
  #end: number;

  /** `onShort` is the error that a peer gets when the bytes end too early, `clause` the rule that says so. */
  constructor(bytes: Buffer, onShort: ErrorCode, clause?: string) {
    this.#bytes = bytes;
    this.#onShort = onShort;
    this.#clause = clause;
    this.#offset = 0;
    this.#end = bytes.length;
  }

  get offset(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.#end - this.#offset;
  }

  /** Another reader for the next bytes alone. */
  part(length: number, field: string, onShort: ErrorCode): ByteReader {
    const start = this.skip(length, field);
    const reader = new ByteReader(this.#bytes, onShort);
    reader.#offset = start;
    reader.#end = start + length;
    return reader;
  }

  /** Where the bytes of a field begin; they are read elsewhere. */
  skip(length: number, field: string): number {
    return this.#advance(length, field);
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
    this.#offset = this.#end;
    return this.#bytes.subarray(start, this.#end);
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
