import { ElfFile, segmentType } from "./elf-file.js";

/** What a program or library asks of the dynamic loader. */
export interface DynamicNeeds {
  /** Absolute path of the loader; none in libraries and static programs. */
  readonly interpreter?: string;
  /** Names of libraries, in the order in which the file has them. */
  readonly libraries: readonly string[];
}

/** Tags of entries in the dynamic section (System V gABI, chapter 5, "Dynamic Section"). */
const tag = { end: 0n, needed: 1n, stringTable: 5n };

const ENTRY_SIZE = 16;

/**
 * Reads them from the file itself, so that nothing of another processor has to run.
 *
 * @throws when the bytes are no 64-bit little-endian ELF file
 */
export function dynamicNeeds(bytes: Uint8Array): DynamicNeeds {
  const file = new ElfFile(bytes);
  const interpreter = file.segments.find(({ type }) => type === segmentType.interpreter);
  return {
    ...(interpreter === undefined ? {} : { interpreter: file.text(interpreter.offset) }),
    libraries: neededLibraries(file),
  };
}

function neededLibraries(file: ElfFile): readonly string[] {
  const dynamic = file.segments.find(({ type }) => type === segmentType.dynamic);
  if (dynamic === undefined) return [];
  const names: number[] = [];
  let strings = 0;
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.fileSize; at += ENTRY_SIZE) {
    const entry = file.view.getBigUint64(at, true);
    const value = Number(file.view.getBigUint64(at + 8, true));
    if (entry === tag.end) break;
    if (entry === tag.needed) names.push(value);
    if (entry === tag.stringTable) strings = file.offsetOf(value);
  }
  return names.map((name) => file.text(strings + name));
}
