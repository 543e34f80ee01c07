import assert from "node:assert/strict";
import { test } from "node:test";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import { decodeUpdate } from "../../../agent-image/agent/bgp/codec/update.js";
import { hex } from "./bytes.js";

/*
 * Each case changes one thing in a good UPDATE, as a real peer was tried with. What FRR 8.4.4 and GoBGP 4.8.0 answer
 * differs, mostly to the worse; the outcome here is that of RFC 7606.
 */
const good = {
  nextHop: "04 0a010001",
  nlri: "02 25 0001 0a000001 00e4 00000000000000000000 00000000 30 020000000005 20 64400005 0000e4",
  origin: "40 01 01 00",
  asPath: "40 02 00",
  localPreference: "40 05 04 00000064",
  communities: "c0 10 10 0002fde9000000e4 030c000000000008",
  more: "",
};

function reach({ nextHop, nlri }: { nextHop: string; nlri: string }): string {
  const value = hex(`0019 46 ${nextHop} 00 ${nlri}`);
  return `90 0e ${value.length.toString(16).padStart(4, "0")} ${value.toString("hex")}`;
}

function update(change: Partial<typeof good>): Buffer {
  const parts = { ...good, ...change };
  const { origin, asPath, localPreference, communities, more } = parts;
  const attributes = hex([reach(parts), origin, asPath, localPreference, communities, more].join(""));
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16BE(attributes.length, 2);
  return Buffer.concat([lengths, attributes]);
}

function decode(body: Buffer): ReturnType<typeof decodeUpdate> {
  return decodeUpdate(body, { fourOctetAs: true, internal: true });
}

const mac = "02:00:00:00:00:05";
const inclusiveMulticast = "03 11 0001 0a000001 00e4 00000000 20 0a000001";
const prefix = "0001 0a000001 00e4 00000000000000000000 00000000";

test("the good message announces its route", () => {
  const { announced, withdrawn, faults } = decode(update({}));
  assert.deepEqual(
    announced.map((route) => route.kind === "mac-ip" && route.mac),
    [mac],
  );
  assert.deepEqual({ withdrawn, faults }, { withdrawn: [], faults: [] });
});

const treatedAsWithdraw: readonly { readonly name: string; readonly change: Partial<typeof good> }[] = [
  { name: "missing ORIGIN", change: { origin: "" } },
  { name: "missing AS_PATH", change: { asPath: "" } },
  { name: "ORIGIN with the flags of an optional attribute", change: { origin: "c0 01 01 00" } },
  { name: "ORIGIN 5", change: { origin: "40 01 01 05" } },
  { name: "LOCAL_PREF of 3 bytes", change: { localPreference: "40 05 03 000064" } },
  { name: "EXTENDED COMMUNITIES of 9 bytes", change: { communities: "c0 10 09 0002fde9000000e4 03" } },
  { name: "EXTENDED COMMUNITIES of 0 bytes", change: { communities: "c0 10 00" } },
  { name: "AS_PATH with segment type 9", change: { asPath: "40 02 06 09 01 0000fde9" } },
  { name: "AS_PATH whose segment runs over", change: { asPath: "40 02 06 02 02 0000fde9" } },
  { name: "AS_PATH with AS 0 (RFC 7607)", change: { asPath: "40 02 06 02 01 00000000" } },
  { name: "reserved PMSI tunnel type", change: { nlri: inclusiveMulticast, more: "c0 16 09 00 ff 0000e4 0a000001" } },
  {
    name: "ingress replication with an identifier of 5 bytes",
    change: { nlri: inclusiveMulticast, more: "c0 16 0a 00 06 0000e4 0a000001 00" },
  },
  { name: "corrupt TUNNEL_ENCAPSULATION (FRRouting/frr#14289)", change: { more: "c0 17 06 0007 0004 01 ff" } },
  { name: "an attribute that runs over the list", change: { more: "c0 10 ff 00 02" } },
  { name: "an attribute header cut off", change: { more: "c0" } },
  { name: "CLUSTER_LIST of 3 bytes", change: { more: "80 0a 03 0a0000" } },
  { name: "NEXT_HOP of 2 bytes (osrg/gobgp#3305)", change: { more: "40 03 02 0a00" } },
  { name: "MULTI_EXIT_DISC of 3 bytes", change: { more: "80 04 03 000000" } },
  { name: "COMMUNITIES of 3 bytes", change: { more: "c0 08 03 fde900" } },
  { name: "COMMUNITIES of 0 bytes", change: { more: "c0 08 00" } },
  { name: "ORIGINATOR_ID of 3 bytes", change: { more: "80 09 03 0a0000" } },
  { name: "IPV6 EXTENDED COMMUNITIES of 8 bytes", change: { more: "c0 19 08 0002fde9000000e4" } },
  { name: "LARGE_COMMUNITY of 11 bytes (osrg/gobgp#1147)", change: { more: `c0 20 0b ${"00".repeat(11)}` } },
  { name: "LARGE_COMMUNITY of 0 bytes", change: { more: "c0 20 00" } },
  { name: "ONLY_TO_CUSTOMER of 2 bytes", change: { more: "c0 23 02 fde9" } },
];

for (const { name, change } of treatedAsWithdraw) {
  test(`treat-as-withdraw: ${name}`, () => {
    const { announced, withdrawn, faults } = decode(update(change));
    assert.deepEqual(announced, []);
    assert.equal(withdrawn.length, 1, "the route of the message is withdrawn");
    assert.equal(faults.length, 1);
    assert.equal(faults[0]?.action, "treat-as-withdraw");
  });
}

const discarded: readonly { readonly name: string; readonly change: Partial<typeof good> }[] = [
  { name: "ATOMIC_AGGREGATE with a byte", change: { more: "40 06 01 00" } },
  { name: "AGGREGATOR of 6 bytes where AS numbers have four", change: { more: "c0 07 06 fde9 0a000001" } },
  { name: "AIGP metric of 5 bytes", change: { more: "80 1a 05 01 0005 0000" } },
  { name: "AIGP that runs over its end", change: { more: "80 1a 04 02 00ff 00" } },
  { name: "AIGP with the transitive flag", change: { more: "c0 1a 0b 01 000b 0000000000000001" } },
];

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

for (const [kind, segmentType] of [
  ["confederation-sequence", "03"],
  ["confederation-set", "04"],
] as const) {
  test(`treat-as-withdraw from an external peer: AS_PATH with a ${kind} (RFC 5065 section 5)`, () => {
    const body = update({ asPath: `40 02 06 ${segmentType} 01 0000fde9` });
    const { announced, withdrawn } = decodeUpdate(body, { fourOctetAs: true, internal: false });
    assert.deepEqual([announced.length, withdrawn.length], [0, 1]);
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

const reset = [
  { name: "next hop of 5 bytes", body: update({ nextHop: "05 0a01000100" }), code: 3, subcode: 1, data: "" },
  { name: "next hop of 0 bytes", body: update({ nextHop: "00" }), code: 3, subcode: 1, data: "" },
  {
    name: "a route that runs over the attribute",
    body: update({ nlri: good.nlri.replaceAll(" ", "").slice(0, 60) }),
    code: 3,
    subcode: 9,
    data: "",
  },
  {
    name: "MP_REACH_NLRI twice",
    body: update({ more: reach(good) }),
    code: 3,
    subcode: 1,
    data: "",
  },
  {
    name: "unknown well-known attribute",
    body: update({ more: "40 c8 01 01" }),
    code: 3,
    subcode: 2,
    data: "40c80101",
  },
  {
    name: "a fault and no route to withdraw (RFC 7606 section 5.2)",
    body: hex("0000 0004 40 01 20 00"),
    code: 3,
    subcode: 5,
    data: "40012000",
  },
  {
    name: "an attribute list longer than the message",
    body: hex("0000 0010 40 01 01 00"),
    code: 3,
    subcode: 1,
    data: "",
  },
  {
    name: "withdrawn routes longer than the message",
    body: hex("0010 0000"),
    code: 3,
    subcode: 1,
    data: "",
  },
];

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
