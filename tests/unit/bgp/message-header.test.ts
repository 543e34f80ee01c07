import assert from "node:assert/strict";
import { test } from "node:test";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import { keepaliveBytes } from "../../../agent-image/agent/bgp/codec/keepalive.js";
import { type Frame, MessageFramer } from "../../../agent-image/agent/bgp/codec/message-header.js";
import { hex, message } from "./bytes.js";
import { endOfRib, frrOpen } from "./captured.js";

const marker = "ffffffffffffffffffffffffffffffff";

function framesOf(framer: MessageFramer, ...chunks: readonly Buffer[]): Frame[] {
  return chunks.flatMap((chunk) => [...framer.push(chunk)]);
}

test("a KEEPALIVE is the 19 bytes of RFC 4271 section 4.4", () => {
  assert.equal(keepaliveBytes.toString("hex"), `${marker}001304`);
});

test("messages are found wherever the stream is cut", () => {
  const stream = Buffer.concat([message(1, frrOpen), hex(`${marker} 0013 04`), message(2, endOfRib)]);
  const expected = [
    { kind: "open", body: frrOpen },
    { kind: "keepalive", body: Buffer.alloc(0) },
    { kind: "update", body: endOfRib },
  ];
  assert.deepEqual(framesOf(new MessageFramer(), stream), expected, "in one piece");
  const single = [...stream].map((byte) => Buffer.from([byte]));
  assert.deepEqual(framesOf(new MessageFramer(), ...single), expected, "byte by byte");
  for (let cut = 1; cut < stream.length; cut += 1) {
    const parts = framesOf(new MessageFramer(), stream.subarray(0, cut), stream.subarray(cut));
    assert.deepEqual(parts, expected, `cut at ${cut}`);
  }
});

/** The NOTIFICATION that FRR 8.4.4 sends for each of these headers, measured. */
const broken = [
  { name: "marker", bytes: `00${marker.slice(2)} 0013 04`, code: 1, subcode: 1, data: "" },
  { name: "length 18", bytes: `${marker} 0012 04`, code: 1, subcode: 2, data: "0012" },
  { name: "length 4097", bytes: `${marker} 1001 04`, code: 1, subcode: 2, data: "1001" },
  { name: "type 9", bytes: `${marker} 0013 09`, code: 1, subcode: 3, data: "09" },
  { name: "UPDATE with a body of 3 bytes", bytes: `${marker} 0016 02 000000`, code: 1, subcode: 2, data: "0016" },
];

for (const { name, bytes, code, subcode, data } of broken) {
  test(`a broken header ends the session: ${name}`, () => {
    assert.throws(
      () => framesOf(new MessageFramer(), hex(bytes)),
      (error) => {
        assert.ok(error instanceof BgpError);
        assert.deepEqual(error.errorCode, { code, subcode });
        assert.equal(error.data.toString("hex"), data);
        return true;
      },
    );
  });
}

test("a KEEPALIVE with a body and an OPEN of 28 bytes are refused by their length", () => {
  for (const bytes of [`${marker} 0014 04 00`, `${marker} 001c 01 04fde9005a0a000001`]) {
    assert.throws(() => framesOf(new MessageFramer(), hex(bytes)), { message: /cannot be that of a message of type/ });
  }
});

test("an extended message passes once both sides have offered it (RFC 8654), but never as OPEN", () => {
  const large = message(2, Buffer.alloc(5000));
  assert.throws(() => framesOf(new MessageFramer(), large), {
    message: "message length 5019 is not between 19 and 4096",
  });
  const framer = new MessageFramer();
  framer.maximumLength = 65535;
  assert.equal(framesOf(framer, large)[0]?.body.length, 5000);
  assert.throws(() => framesOf(framer, message(1, Buffer.alloc(5000))), { message: /type open/ });
});
