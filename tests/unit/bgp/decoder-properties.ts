import assert from "node:assert/strict";
import fc from "fast-check";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import { decodeMessage } from "../../../agent-image/agent/bgp/codec/decode-message.js";
import { encodeEvpnRoute } from "../../../agent-image/agent/bgp/codec/evpn-nlri.js";
import { MessageFramer, type MessageKind } from "../../../agent-image/agent/bgp/codec/message-header.js";
import { decodeUpdate } from "../../../agent-image/agent/bgp/codec/update.js";
import { explainStream, IncompleteMessage } from "../../../agent-image/agent/bgp/explain/explain-message.js";
import { message } from "./bytes.js";
import * as captured from "./captured.js";
import { brokenAttributes, hostileBodies } from "./hostile-messages.js";

const internal = { fourOctetAs: true, internal: true };
const kinds: readonly MessageKind[] = ["open", "update", "notification", "keepalive", "route-refresh"];

function onlyBgpErrors(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof BgpError, `threw ${error}`);
    assert.ok(error.data.length <= 4096);
  }
}

interface DecoderProperty {
  readonly name: string;
  /** Tries so many messages. */
  readonly check: (messages: number) => void;
}

function perBodies(
  name: string,
  property: (bodies: fc.Arbitrary<Buffer>) => fc.IRawProperty<unknown>,
): DecoderProperty[] {
  return Object.entries(hostileBodies).map(([made, bodies]) => ({
    name: `${name}: ${made} bytes`,
    check: (messages) => void fc.assert(property(bodies) as fc.IProperty<unknown>, { numRuns: messages }),
  }));
}

/** What holds of the decoder whatever a peer sends. */
export const decoderProperties: readonly DecoderProperty[] = [
  ...perBodies("the decoder throws nothing but its own error", (bodies) =>
    fc.property(bodies, fc.constantFrom(...kinds), fc.boolean(), fc.boolean(), (body, kind, fourOctetAs, inside) => {
      onlyBgpErrors(() => decodeMessage({ kind, body }, { fourOctetAs, internal: inside }));
    }),
  ),
  ...perBodies("the framer yields or throws its own error", (bodies) =>
    fc.property(bodies, fc.nat(20), (bytes, cut) => {
      const framer = new MessageFramer();
      const stream = Buffer.concat([message(2, captured.endOfRib), bytes]);
      onlyBgpErrors(() => [...framer.push(stream.subarray(0, cut)), ...framer.push(stream.subarray(cut))]);
    }),
  ),
  ...perBodies("people get a verdict on every whole message", (bodies) =>
    fc.property(bodies, fc.integer({ min: 1, max: 5 }), fc.boolean(), (body, type, inside) => {
      try {
        const [explanation] = explainStream(message(type, body), { internal: inside });
        assert.ok(explanation);
        assert.equal(explanation.notification !== undefined, explanation.verdict === "reset");
      } catch (error) {
        assert.ok(error instanceof IncompleteMessage, `threw ${error}`);
      }
    }),
  ),
  ...perBodies("an announced route is encoded to the bytes that it came from", (bodies) =>
    fc.property(bodies, (body) => {
      onlyBgpErrors(() => {
        for (const route of decodeUpdate(body, internal).announced) {
          assert.ok(body.includes(encodeEvpnRoute(route)), `encoded differently: ${JSON.stringify(route)}`);
        }
      });
    }),
  ),
  {
    name: "attributes with any content never end the session, and each route is either taken or withdrawn (RFC 7606)",
    check: (messages) =>
      void fc.assert(
        fc.property(brokenAttributes, fc.boolean(), (body, inside) => {
          const { announced, withdrawn, faults } = decodeUpdate(body, { fourOctetAs: true, internal: inside });
          const withdraws = faults.some(({ action }) => action === "treat-as-withdraw");
          assert.deepEqual([announced.length, withdrawn.length], withdraws ? [0, 2] : [2, 0]);
        }),
        { numRuns: messages },
      ),
  },
];
