import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import { decodeMessage } from "../../../agent-image/agent/bgp/codec/decode-message.js";
import { type EvpnRoute, encodeEvpnRoute } from "../../../agent-image/agent/bgp/codec/evpn-nlri.js";
import { MessageFramer, type MessageKind } from "../../../agent-image/agent/bgp/codec/message-header.js";
import { decodeUpdate } from "../../../agent-image/agent/bgp/codec/update.js";
import { message } from "./bytes.js";
import * as captured from "./captured.js";

const context = { fourOctetAs: true, internal: true };
const bodies = Object.values(captured);

/** Bytes that look like a message for a while: a captured one with some bytes changed and its end cut or grown. */
const damaged = fc
  .record({
    body: fc.constantFrom(...bodies),
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

const random = fc.uint8Array({ minLength: 4, maxLength: 300 }).map((bytes) => Buffer.from(bytes));

function onlyBgpErrors(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof BgpError, `threw ${error}`);
    assert.ok(error.data.length <= 4096);
  }
}

for (const [name, input] of Object.entries({ damaged, random })) {
  test(`whatever a peer sends, the decoder throws nothing but its own error: ${name} bodies`, () => {
    const kinds: readonly MessageKind[] = ["open", "update", "notification", "keepalive", "route-refresh"];
    fc.assert(
      fc.property(input, fc.constantFrom(...kinds), (body, kind) => {
        onlyBgpErrors(() => decodeMessage({ kind, body }, context));
      }),
      { numRuns: 5000 },
    );
  });

  test(`whatever a stream holds, the framer yields or throws its own error: ${name} bytes`, () => {
    fc.assert(
      fc.property(input, fc.nat(20), (bytes, cut) => {
        const framer = new MessageFramer();
        const stream = Buffer.concat([message(2, captured.endOfRib), bytes]);
        onlyBgpErrors(() => [...framer.push(stream.subarray(0, cut)), ...framer.push(stream.subarray(cut))]);
      }),
    );
  });
}

test("an announced route is encoded to the bytes that it came from", () => {
  fc.assert(
    fc.property(damaged, (body) => {
      onlyBgpErrors(() => {
        const { announced } = decodeUpdate(body, context);
        for (const route of announced) {
          assert.ok(body.includes(encodeEvpnRoute(route)), describe(route));
        }
      });
    }),
    { numRuns: 5000 },
  );
});

function describe(route: EvpnRoute): string {
  return `encoded differently: ${JSON.stringify(route)}`;
}
