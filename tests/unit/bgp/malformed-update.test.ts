import assert from "node:assert/strict";
import { test } from "node:test";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import { decodeUpdate } from "../../../agent-image/agent/bgp/codec/update.js";
import { hex } from "./bytes.js";
import {
  discarded,
  external,
  good,
  inclusiveMulticast,
  mac,
  prefix,
  reset,
  treatedAsWithdraw,
  update,
} from "./faulty-updates.js";

function decode(body: Buffer): ReturnType<typeof decodeUpdate> {
  return decodeUpdate(body, { fourOctetAs: true, internal: true });
}

test("the good message announces its route", () => {
  const { announced, withdrawn, faults } = decode(update({}));
  assert.deepEqual(
    announced.map((route) => route.kind === "mac-ip" && route.mac),
    [mac],
  );
  assert.deepEqual({ withdrawn, faults }, { withdrawn: [], faults: [] });
});

for (const { name, change } of treatedAsWithdraw) {
  test(`treat-as-withdraw: ${name}`, () => {
    const { announced, withdrawn, faults } = decode(update(change));
    assert.deepEqual(announced, []);
    assert.equal(withdrawn.length, 1, "the route of the message is withdrawn");
    assert.equal(faults.length, 1);
    assert.equal(faults[0]?.action, "treat-as-withdraw");
  });
}

for (const { name, change } of discarded) {
  test(`attribute-discard, the route stays: ${name}`, () => {
    const { announced, withdrawn, faults } = decode(update(change));
    assert.equal(announced.length, 1);
    assert.deepEqual(withdrawn, []);
    assert.equal(faults.length, 1);
    assert.equal(faults[0]?.action, "attribute-discard");
  });
}

const routeLeftOut: readonly {
  readonly name: string;
  readonly nlri: string;
  readonly named?: readonly (readonly [mac: string, ip: string | undefined])[];
}[] = [
  { name: "length byte 34", nlri: `02 22 ${prefix} 30 020000000005 00 0000e4 00`, named: [[mac, undefined]] },
  { name: "length 0", nlri: "02 00" },
  {
    name: "MAC length in bytes (CumulusNetworks/quagga#26)",
    nlri: `02 25 ${prefix} 06 020000000005 20 64400005 0000e4`,
  },
  { name: "IP length 24", nlri: `02 24 ${prefix} 30 020000000005 18 644000 0000e4` },
  { name: "IP length in bytes", nlri: `02 25 ${prefix} 30 020000000005 04 64400005 0000e4` },
  {
    name: "a trailing byte",
    nlri: `02 26 ${prefix} 30 020000000005 20 64400005 0000e4 aa`,
    named: [[mac, "100.64.0.5"]],
  },
  { name: "a label cut off", nlri: `02 24 ${prefix} 30 020000000005 20 64400006 0000`, named: [[mac, "100.64.0.6"]] },
  { name: "Type-3 with IP length 24", nlri: "03 10 0001 0a000001 00e4 00000000 18 0a0000" },
];

for (const { name, nlri, named = [] } of routeLeftOut) {
  test(`only the route is left out: ${name}`, () => {
    const { announced, withdrawn, faults } = decode(update({ nlri: `${nlri} ${good.nlri}` }));
    assert.deepEqual(
      withdrawn.map((route) => route.kind === "mac-ip" && [route.mac, route.ip]),
      named,
      "what was said before of a route that can be told from others",
    );
    assert.deepEqual(
      announced.map((route) => route.kind === "mac-ip" && route.mac),
      [mac],
      "the good route behind it stays",
    );
    assert.deepEqual(
      faults.map(({ action }) => action),
      ["route-discard"],
    );
  });
}

const accepted: readonly { readonly name: string; readonly change: Partial<typeof good> }[] = [
  { name: "second label (RFC 9135)", change: { nlri: `02 28 ${prefix} 30 020000000005 20 64400005 0000e4 000001` } },
  { name: "next hop of 16 bytes", change: { nextHop: `10 ${"20010db8".padEnd(32, "0")}` } },
  { name: "Type-3 without PMSI_TUNNEL", change: { nlri: inclusiveMulticast } },
  { name: "unknown optional attribute", change: { more: "c0 c8 01 01" } },
  { name: "missing LOCAL_PREF", change: { localPreference: "" } },
  { name: "AIGP metric", change: { more: "80 1a 0b 01 000b 0000000000000001" } },
  { name: "LARGE_COMMUNITY", change: { more: "c0 20 0c 0000fde9 00000001 00000002" } },
  { name: "segments of our confederation", change: { asPath: "40 02 06 03 01 0000fde9" } },
];

for (const { name, change } of accepted) {
  test(`accepted: ${name}`, () => {
    const { announced, withdrawn, faults } = decode(update(change));
    assert.equal(announced.length, 1);
    assert.deepEqual({ withdrawn, faults }, { withdrawn: [], faults: [] });
  });
}

test("a route of unknown type is skipped by its length (GoBGP 4.8 resets here)", () => {
  const { announced, faults } = decode(update({ nlri: `c8 03 aabbcc ${good.nlri}` }));
  assert.deepEqual(
    announced.map(({ kind }) => kind),
    ["unknown", "mac-ip"],
  );
  assert.deepEqual(faults, []);
});

test("of a repeated attribute the first counts (FRRouting/frr#14175)", () => {
  const { announced, attributes } = decode(update({ more: "40 01 01 02" }));
  assert.equal(announced.length, 1);
  assert.equal(attributes.origin, 0);
});

test("MP_REACH_NLRI without a route says nothing (FRRouting/frr#1258)", () => {
  const { announced, withdrawn, faults, endOfRib } = decode(update({ nlri: "" }));
  assert.deepEqual(
    { announced, withdrawn, faults, endOfRib },
    { announced: [], withdrawn: [], faults: [], endOfRib: false },
  );
});

test("attributes of an external peer that only count inside an AS are left (RFC 7606 sections 7.5, 7.9, 7.10)", () => {
  const body = update({ localPreference: "40 05 03 000064", more: "80 09 03 0a0000 80 0a 04 0a000707" });
  const { announced, attributes } = decodeUpdate(body, { fourOctetAs: true, internal: false });
  assert.equal(announced.length, 1);
  assert.deepEqual(
    [attributes.localPreference, attributes.originatorId, attributes.clusterList],
    [undefined, undefined, undefined],
  );
});

for (const { name, change } of external.treatedAsWithdraw) {
  test(`treat-as-withdraw from an external peer: ${name}`, () => {
    const { announced, withdrawn } = decodeUpdate(update(change), { fourOctetAs: true, internal: false });
    assert.deepEqual([announced.length, withdrawn.length], [0, 1]);
  });
}

for (const { name, change } of external.discarded) {
  test(`the route stays from an external peer: ${name}`, () => {
    const { announced, withdrawn } = decodeUpdate(update(change), { fourOctetAs: true, internal: false });
    assert.deepEqual([announced.length, withdrawn.length], [1, 0]);
  });
}

test("a withdrawal alone needs no other attribute (NetGauze/NetGauze#591)", () => {
  const body = hex(`0000 002d 800f2a 0019 46 ${good.nlri}`);
  const { withdrawn, faults } = decode(body);
  assert.equal(withdrawn.length, 1);
  assert.deepEqual(faults, []);
});

test("the routes of another address family are no EVPN routes", () => {
  const ipv4 = hex("0000 0012 800e0b 0001 01 04 0a010001 00 08 0a 400101 00");
  assert.deepEqual(decode(ipv4).announced, []);
});

for (const { name, body, code, subcode, data } of reset) {
  test(`the session is reset: ${name}`, () => {
    assert.throws(
      () => decode(body),
      (error) => {
        assert.ok(error instanceof BgpError);
        assert.deepEqual(error.errorCode, { code, subcode });
        assert.equal(error.data.toString("hex"), data);
        return true;
      },
    );
  });
}
