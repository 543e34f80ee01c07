import fc from "fast-check";
import { hex } from "./bytes.js";
import * as captured from "./captured.js";

/** Bytes that look like a message for a while: a captured one with some bytes changed and its end cut or grown. */
const damagedBody = fc
  .record({
    body: fc.constantFrom(...Object.values(captured)),
    changes: fc.array(fc.record({ at: fc.nat(220), value: fc.nat(255) }), { maxLength: 6 }),
    length: fc.nat(240),
  })
  .map(({ body, changes, length }) => {
    const bytes = Buffer.alloc(Math.max(4, length));
    body.copy(bytes);
    for (const { at, value } of changes) {
      bytes[at % bytes.length] = value;
    }
    return bytes;
  });

const randomBody = fc.uint8Array({ minLength: 4, maxLength: 300 }).map((bytes) => Buffer.from(bytes));

/** Bodies of messages, by how they are made. */
export const hostileBodies = { damaged: damagedBody, random: randomBody };

/** FRR 8.4.4's MP_REACH_NLRI with a MAC alone and the MAC with its IP, as captured. */
const reach = hex(`
  900e0053 0019 46 04 0a000009 00
    02 21 00010a0000090002 00000000000000000000 00000000 30 0200000000aa 00 0000e4
    02 25 00010a0000090002 00000000000000000000 00000000 30 0200000000aa 20 cb007132 0000e4`);

/** Types that are no multiprotocol attribute: 1 to 10, 16 to 18, 22, 23, 25, 26, 32, 35, and two that nobody knows. */
const singleTypes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18, 22, 23, 25, 26, 32, 35] as const;
const unknownTypes = [99, 200] as const;

const optional = 0x80;

const attribute = fc.oneof(
  fc.record({
    type: fc.constantFrom(...singleTypes),
    flags: fc.constantFrom(0x00, 0x20, 0x40, 0x60, 0x80, 0xa0, 0xc0, 0xe0),
    value: fc.uint8Array({ maxLength: 40 }),
  }),
  // A well-known attribute that is unknown ends the session by right (RFC 4271 section 6.3), so these are optional.
  fc.record({
    type: fc.constantFrom(...unknownTypes),
    flags: fc.constantFrom(optional, 0xc0, 0xe0),
    value: fc.uint8Array({ maxLength: 40 }),
  }),
);

/**
 * UPDATE bodies whose lengths hold and whose two routes can be read, with any other attributes, repeated ones too: RFC
 * 7606 never answers them with a reset.
 */
export const brokenAttributes = fc
  .record({
    before: fc.array(attribute, { maxLength: 4 }),
    after: fc.array(attribute, { maxLength: 4 }),
  })
  .map(({ before, after }) => {
    const bytes = (list: typeof before): Buffer[] =>
      list.map(({ type, flags, value }) => Buffer.from([flags, type, value.length, ...value]));
    const field = Buffer.concat([...bytes(before), reach, ...bytes(after)]);
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16BE(field.length, 2);
    return Buffer.concat([lengths, field]);
  });
