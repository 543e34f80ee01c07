import assert from "node:assert/strict";
import { test } from "node:test";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import { decodeOpen, encodeOpen } from "../../../agent-image/agent/bgp/codec/open.js";
import { hex, message } from "./bytes.js";
import { frrOpen, gobgpOpen } from "./captured.js";

const evpn = { afi: 25, safi: 70 };

test("FRR's OPEN: one parameter for each capability, route refresh twice over, graceful restart without families", () => {
  assert.deepEqual(decodeOpen(frrOpen), {
    kind: "open",
    as: 65001,
    holdTime: 9,
    bgpIdentifier: "10.0.0.9",
    capabilities: [
      { kind: "multiprotocol", family: evpn },
      { kind: "unknown", code: 128, value: hex("") },
      { kind: "route-refresh" },
      { kind: "enhanced-route-refresh" },
      { kind: "four-octet-as", as: 65001 },
      { kind: "extended-message" },
      { kind: "unknown", code: 69, value: hex("00194601") },
      { kind: "unknown", code: 73, value: hex("02723100") },
      { kind: "graceful-restart", restart: { restarted: true, notification: true, time: 120, families: [] } },
      {
        kind: "long-lived-graceful-restart",
        families: [{ ...evpn, forwardingPreserved: true, staleTime: 0 }],
      },
    ],
  });
});

test("GoBGP's OPEN: all capabilities in one parameter", () => {
  const open = decodeOpen(gobgpOpen);
  assert.deepEqual(
    { as: open.as, holdTime: open.holdTime, bgpIdentifier: open.bgpIdentifier },
    { as: 65001, holdTime: 90, bgpIdentifier: "10.0.0.1" },
  );
  assert.deepEqual(
    open.capabilities.find(({ kind }) => kind === "graceful-restart"),
    {
      kind: "graceful-restart",
      restart: { restarted: false, notification: false, time: 20, families: [{ ...evpn, forwardingPreserved: false }] },
    },
  );
});

test("our OPEN has the capability bytes that FRR and GoBGP send, and AS_TRANS for a large AS", () => {
  const open = encodeOpen({
    kind: "open",
    as: 4200000000,
    holdTime: 9,
    bgpIdentifier: "10.0.7.11",
    capabilities: [
      { kind: "multiprotocol", family: evpn },
      { kind: "route-refresh" },
      { kind: "enhanced-route-refresh" },
      { kind: "extended-message" },
      {
        kind: "graceful-restart",
        restart: { restarted: true, notification: true, time: 120, families: [{ ...evpn, forwardingPreserved: true }] },
      },
      {
        kind: "long-lived-graceful-restart",
        families: [{ ...evpn, forwardingPreserved: true, staleTime: 0 }],
      },
      { kind: "four-octet-as", as: 4200000000 },
    ],
  });
  // 23456 is 5ba0; 4200000000 is fa56ea00.
  const body = hex(
    "04 5ba0 0009 0a00070b 25 02 23 0104 00190046 0200 4600 0600 4006 c078 00194680 4707 00194680000000 4104 fa56ea00",
  );
  assert.equal(open.toString("hex"), message(1, body).toString("hex"));
});

/** RFC 9494 section 3.1: AFI (2) | SAFI (1) | flags (1) | stale time (3). */
const longLived: readonly { readonly name: string; readonly capability: string; readonly decoded: object }[] = [
  {
    name: "Cisco's, without a family",
    capability: "4700",
    decoded: { kind: "long-lived-graceful-restart", families: [] },
  },
  {
    name: "two families, and the longest time",
    capability: "470e 00010100 000001 00194680 ffffff",
    decoded: {
      kind: "long-lived-graceful-restart",
      families: [
        { afi: 1, safi: 1, forwardingPreserved: false, staleTime: 1 },
        { ...evpn, forwardingPreserved: true, staleTime: 16_777_215 },
      ],
    },
  },
  {
    name: "one that is cut off",
    capability: "4706 001946800000",
    decoded: { kind: "unknown", code: 71, value: hex("001946800000") },
  },
];
for (const { name, capability, decoded } of longLived) {
  test(`long-lived graceful restart: ${name}`, () => {
    const bytes = hex(capability);
    const parameters = hex(`02 ${bytes.length.toString(16).padStart(2, "0")} ${capability}`);
    const body = Buffer.concat([hex("04 fde9 005a 0a000001"), Buffer.from([parameters.length]), parameters]);
    assert.deepEqual(decodeOpen(body).capabilities, [decoded]);
  });
}

test("extended optional parameters have two-octet lengths (RFC 9072)", () => {
  const body = hex("04 fde9 005a 0a000001 ff ff 0009 02 0006 0104 00190046");
  assert.deepEqual(decodeOpen(body).capabilities, [{ kind: "multiprotocol", family: evpn }]);
});

test("255 bytes of plain parameters are no extended form", () => {
  const filler = `02 f7 49f5 ${"00".repeat(0xf5)}`;
  const body = hex(`04 fde9 005a 0a000001 ff ${filler} 02 04 0200 0200`);
  assert.equal(decodeOpen(body).capabilities.length, 3);
});

test("a capability of unexpected length counts as not offered and is kept", () => {
  const body = hex("04 fde9 005a 0a000001 0c 02 0a 020100 4103 0000fd 4000");
  assert.deepEqual(
    decodeOpen(body).capabilities.map(({ kind }) => kind),
    ["unknown", "unknown", "unknown"],
  );
});

const refused = [
  { name: "version 3", body: "03 fde9 005a 0a000001 00", code: 2, subcode: 1, data: "0004" },
  { name: "a parameter that runs over", body: "04 fde9 005a 0a000001 04 02 06 0104", code: 2, subcode: 0, data: "" },
  // CVE-2022-40302 and CVE-2022-43681: option lengths cut short.
  { name: "parameters cut short", body: "04 fde9 005a 0a000001 ff", code: 2, subcode: 0, data: "" },
  { name: "extended lengths cut short", body: "04 fde9 005a 0a000001 ff ff 00", code: 2, subcode: 0, data: "" },
  { name: "a capability that runs over", body: "04 fde9 005a 0a000001 04 02 02 0104", code: 2, subcode: 0, data: "" },
  { name: "a parameter that is no capability", body: "04 fde9 005a 0a000001 02 01 00", code: 2, subcode: 4, data: "" },
];

for (const { name, body, code, subcode, data } of refused) {
  test(`an OPEN is refused for ${name}`, () => {
    assert.throws(
      () => decodeOpen(hex(body)),
      (error) => {
        assert.ok(error instanceof BgpError);
        assert.deepEqual(error.errorCode, { code, subcode });
        assert.equal(error.data.toString("hex"), data);
        return true;
      },
    );
  });
}
