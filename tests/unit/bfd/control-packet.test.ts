import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type ControlPacket,
  decodeControlPacket,
  encodeControlPacket,
  type ValidityRule,
} from "../../../agent-image/agent/bfd/control-packet.js";
import { hex } from "../bgp/bytes.js";
import { frrPackets } from "./frr-packets.js";

const first: ControlPacket = {
  diagnostic: 0,
  state: "Down",
  poll: false,
  final: false,
  controlPlaneIndependent: false,
  demand: false,
  detectMultiplier: 3,
  myDiscriminator: 0xa0dcfe8a,
  yourDiscriminator: 0,
  desiredMinTxInterval: 1_000_000,
  requiredMinRxInterval: 1_000_000,
  requiredMinEchoRxInterval: 50_000,
};
const second: ControlPacket = {
  ...first,
  state: "Up",
  myDiscriminator: 0xeb0c3f20,
  yourDiscriminator: 0xa0dcfe8a,
  desiredMinTxInterval: 300_000,
  requiredMinRxInterval: 250_000,
};

const frr: readonly (readonly [keyof typeof frrPackets, ControlPacket])[] = [
  ["down", first],
  ["init", { ...second, state: "Init", desiredMinTxInterval: 1_000_000, requiredMinRxInterval: 1_000_000 }],
  [
    "upWithPoll",
    {
      ...first,
      state: "Up",
      poll: true,
      yourDiscriminator: 0xeb0c3f20,
      desiredMinTxInterval: 200_000,
      requiredMinRxInterval: 300_000,
    },
  ],
  ["upWithFinal", { ...second, final: true }],
  ["up", second],
  [
    "adminDown",
    {
      ...first,
      state: "AdminDown",
      yourDiscriminator: 0xeb0c3f20,
      desiredMinTxInterval: 500_000,
      requiredMinRxInterval: 300_000,
    },
  ],
  ["downAfterAdminDown", { ...second, state: "Down", diagnostic: 3, yourDiscriminator: 0 }],
];

describe("what FRR's bfdd sends is read, and the same is written byte for byte", () => {
  for (const [name, packet] of frr) {
    test(name, () => {
      assert.deepEqual(decodeControlPacket(hex(frrPackets[name])), { kind: "packet", packet });
      assert.equal(encodeControlPacket(packet).toString("hex"), hex(frrPackets[name]).toString("hex"));
    });
  }
});

test("each flag stands at the place that RFC 5880 section 4.1 draws", () => {
  const written = (flags: Partial<ControlPacket>) => encodeControlPacket({ ...second, ...flags }).readUInt8(1);
  assert.deepEqual(
    [{ poll: true }, { final: true }, { controlPlaneIndependent: true }, { demand: true }].map(written),
    [0b1110_0000, 0b1101_0000, 0b1100_1000, 0b1100_0010],
  );
  const read = (byte: number) => {
    const decoded = decodeControlPacket(Buffer.from([0x20, byte, ...hex(frrPackets.up).subarray(2)]));
    assert.ok(decoded.kind === "packet");
    const { poll, final, controlPlaneIndependent, demand } = decoded.packet;
    return [poll, final, controlPlaneIndependent, demand];
  };
  assert.deepEqual(read(0b1110_1000), [true, false, true, false]);
  assert.deepEqual(read(0b1101_0010), [false, true, false, true]);
});

const rules: readonly (readonly [bytes: string, rule: ValidityRule])[] = [
  ["", "shorter than the mandatory section"],
  ["20400318 a0dcfe8a 00000000 000f4240 000f4240 0000c3", "shorter than the mandatory section"],
  ["00400318 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "version"],
  ["40400318 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "version"],
  ["20400317 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "length below the minimum"],
  ["20440319 a0dcfe8a 00000000 000f4240 000f4240 0000c350 00", "length below the minimum"],
  ["20400319 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "length above the payload"],
  ["204003ff a0dcfe8a 00000000 000f4240 000f4240 0000c350", "length above the payload"],
  ["20400018 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "detect multiplier of zero"],
  ["20410318 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "multipoint"],
  ["20400318 00000000 00000000 000f4240 000f4240 0000c350", "my discriminator of zero"],
  ["20800318 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "your discriminator of zero in this state"],
  ["20c00318 a0dcfe8a 00000000 000f4240 000f4240 0000c350", "your discriminator of zero in this state"],
  // Simple password (RFC 5880 section 4.2): type 1, length 4, key 1, one byte
  ["2044031c a0dcfe8a 00000000 000f4240 000f4240 0000c350 01040161", "authentication"],
];

describe("what RFC 5880 section 6.8.6 throws away", () => {
  for (const [bytes, rule] of rules) {
    test(`${rule}: ${bytes || "nothing at all"}`, () => {
      assert.deepEqual(decodeControlPacket(hex(bytes)), { kind: "discard", rule });
    });
  }

  test("not what stands behind the length: a payload may be longer", () => {
    assert.equal(decodeControlPacket(hex(`${frrPackets.up} 0000 0000`)).kind, "packet");
  });

  test("not Down and AdminDown without your discriminator", () => {
    for (const first of ["2040", "2000"]) {
      const bytes = hex(`${first}0318 a0dcfe8a 00000000 000f4240 000f4240 0000c350`);
      assert.equal(decodeControlPacket(bytes).kind, "packet");
    }
  });
});

test("whatever comes: it is a packet with nothing that the rules forbid, which is written as it was, or it names a rule", () => {
  const arbitrary = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    // Nearly right: one byte of a real one is another.
    fc
      .tuple(fc.constantFrom(...Object.values(frrPackets)), fc.nat(23), fc.nat(255))
      .map(([packet, place, value]) => hex(packet).fill(value, place, place + 1)),
  );
  let packets = 0;
  fc.assert(
    fc.property(arbitrary, (bytes) => {
      const decoded = decodeControlPacket(Buffer.from(bytes));
      if (decoded.kind === "discard") return;
      packets += 1;
      assert.notEqual(decoded.packet.detectMultiplier, 0);
      assert.notEqual(decoded.packet.myDiscriminator, 0);
      const written = encodeControlPacket(decoded.packet);
      assert.equal(written.subarray(0, 3).toString("hex"), Buffer.from(bytes).subarray(0, 3).toString("hex"));
      assert.equal(written.subarray(4).toString("hex"), Buffer.from(bytes).subarray(4, 24).toString("hex"));
    }),
    { numRuns: 5000 },
  );
  assert.ok(packets > 500, `only ${packets} packets were right`);
});
