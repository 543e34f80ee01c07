import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamicNeeds } from "../../../../lab/images/elf/dynamic-needs.js";
import { withoutSections } from "../../../../lab/images/elf/without-sections.js";

const LOADED_AT = 0x400000;

interface Laid {
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** An ELF file after the System V gABI: header of 64 bytes, program headers of 56, segments one after the other, then the rest. */
function elf(segments: readonly Laid[], rest: Uint8Array): Uint8Array {
  const start = 64 + 56 * (segments.length + 1);
  const size = start + segments.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const file = new Uint8Array(size + rest.length);
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setBigUint64(32, 64n, true);
  view.setBigUint64(40, BigInt(size), true);
  view.setUint16(54, 56, true);
  view.setUint16(56, segments.length + 1, true);
  view.setUint16(60, 7, true);
  view.setUint16(62, 6, true);
  const header = (index: number, type: number, offset: number, length: number) => {
    const at = 64 + 56 * index;
    view.setUint32(at, type, true);
    view.setBigUint64(at + 8, BigInt(offset), true);
    view.setBigUint64(at + 16, BigInt(LOADED_AT + offset), true);
    view.setBigUint64(at + 32, BigInt(length), true);
  };
  header(0, 1, 0, size);
  let offset = start;
  segments.forEach(({ type, bytes }, index) => {
    header(index + 1, type, offset, bytes.length);
    file.set(bytes, offset);
    offset += bytes.length;
  });
  file.set(rest, size);
  return file;
}

function words(...values: readonly number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
}

const text = (value: string) => new TextEncoder().encode(value);

const LOADER = { type: 3, bytes: text("/lib64/ld-linux-x86-64.so.2\0") };
const STRINGS = { type: 4, bytes: text("\0libc.so.6\0libm.so.6\0ignored\0") };
/** After four program headers and the two segments above. */
const stringsAt = LOADED_AT + 64 + 56 * 4 + LOADER.bytes.length;
/** DT_NEEDED 1, DT_STRTAB 5, DT_NULL 0; what comes after the end does not count. */
const DYNAMIC = { type: 2, bytes: words(1, 11, 1, 1, 5, stringsAt, 0, 0, 1, 21) };
const SYMBOLS = text("symbols that nobody loads");

test("loader and libraries of a program, in its own order", () => {
  assert.deepEqual(dynamicNeeds(elf([LOADER, STRINGS, DYNAMIC], SYMBOLS)), {
    interpreter: "/lib64/ld-linux-x86-64.so.2",
    libraries: ["libm.so.6", "libc.so.6"],
  });
});

test("a static program needs nothing", () => {
  assert.deepEqual(dynamicNeeds(elf([], SYMBOLS)), { libraries: [] });
});

test("without sections it ends with its last segment, names no section table, and needs the same", () => {
  const whole = elf([LOADER, STRINGS, DYNAMIC], SYMBOLS);
  const stripped = withoutSections(whole);
  assert.equal(stripped.length, whole.length - SYMBOLS.length);
  assert.deepEqual([...stripped.subarray(40, 48), ...stripped.subarray(60, 64)], Array(12).fill(0));
  assert.deepEqual(stripped.subarray(64), whole.subarray(64, stripped.length));
  assert.deepEqual(dynamicNeeds(stripped), dynamicNeeds(whole));
});

for (const [what, bytes] of [
  ["a script", text("#!/bin/sh\n")],
  ["nothing", new Uint8Array()],
  ["an ELF file of 32 bits", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 1, 1)],
] as const) {
  test(`${what} is refused`, () => {
    assert.throws(() => dynamicNeeds(bytes), /no 64-bit little-endian ELF file/);
  });
}
