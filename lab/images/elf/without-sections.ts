import { ElfFile } from "./elf-file.js";

/** Fields of the file header that describe sections: offset of their table, its size, the index of their names. */
const SECTION_TABLE = 40;
const SECTION_COUNTS = 60;

/**
 * A program without what only linkers and debuggers read (symbols, debugging information): kernel and dynamic loader follow the
 * program headers alone (System V gABI, chapter 5). What lies after the last byte that those name is cut off. Like `strip`, but
 * for any processor.
 *
 * @throws when the bytes are no 64-bit little-endian ELF file
 */
export function withoutSections(bytes: Uint8Array): Uint8Array {
  const { segments, headersEnd } = new ElfFile(bytes);
  const end = Math.max(headersEnd, ...segments.map(({ offset, fileSize }) => offset + fileSize));
  const kept = bytes.slice(0, end);
  const view = new DataView(kept.buffer);
  view.setBigUint64(SECTION_TABLE, 0n, true);
  view.setUint16(SECTION_COUNTS, 0, true);
  view.setUint16(SECTION_COUNTS + 2, 0, true);
  return kept;
}
