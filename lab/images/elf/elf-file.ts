/** A part of the file that the kernel or the dynamic loader uses. */
export interface Segment {
  readonly type: number;
  /** Offset in the file, bytes. */
  readonly offset: number;
  /** Address in memory. */
  readonly address: number;
  /** bytes */
  readonly fileSize: number;
}

/** System V gABI, chapter 5, "Program Header". */
export const segmentType = { load: 1, dynamic: 2, interpreter: 3 } as const;

/** Class 64 bit, little endian, after the magic number (System V gABI, chapter 4, "ELF Identification"). */
const IDENTIFICATION = [0x7f, 0x45, 0x4c, 0x46, 2, 1];

/** A 64-bit little-endian ELF file: a program or library of amd64 or arm64. */
export class ElfFile {
  readonly view: DataView;
  readonly segments: readonly Segment[];
  /** Where the program headers end, bytes. */
  readonly headersEnd: number;

  /** @throws when the bytes are something else */
  constructor(readonly bytes: Uint8Array) {
    if (IDENTIFICATION.some((byte, index) => bytes[index] !== byte))
      throw new Error("this is no 64-bit little-endian ELF file");
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const table = Number(this.view.getBigUint64(32, true));
    const size = this.view.getUint16(54, true);
    const count = this.view.getUint16(56, true);
    this.headersEnd = table + size * count;
    this.segments = Array.from({ length: count }, (_, index) => this.#segment(table + index * size));
  }

  /** Where the file holds an address of memory. */
  offsetOf(address: number): number {
    const holder = this.segments.find(
      (segment) =>
        segment.type === segmentType.load && address >= segment.address && address < segment.address + segment.fileSize,
    );
    if (holder === undefined) throw new Error(`the ELF file loads nothing at address ${address}`);
    return holder.offset + address - holder.address;
  }

  /** The text at an offset, up to its zero byte. */
  text(offset: number): string {
    const end = this.bytes.indexOf(0, offset);
    return new TextDecoder().decode(this.bytes.subarray(offset, end));
  }

  #segment(at: number): Segment {
    return {
      type: this.view.getUint32(at, true),
      offset: Number(this.view.getBigUint64(at + 8, true)),
      address: Number(this.view.getBigUint64(at + 16, true)),
      fileSize: Number(this.view.getBigUint64(at + 32, true)),
    };
  }
}
