import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvpnRoute, MacIpRoute } from "../../../agent-image/agent/bgp/codec/evpn-nlri.js";
import {
  type Announcement,
  decodeUpdate,
  encodeAnnouncement,
  encodeEndOfRib,
  encodeWithdrawal,
} from "../../../agent-image/agent/bgp/codec/update.js";
import { hex, message } from "./bytes.js";
import * as captured from "./captured.js";

const internal = { fourOctetAs: true, internal: true };
const encoding = { fourOctetAs: true, maximumMessageLength: 4096 };

function macIp(routeDistinguisher: string, mac: string, ip: string | undefined, label = 228): MacIpRoute {
  return {
    kind: "mac-ip",
    routeDistinguisher,
    ethernetSegment: "00000000000000000000",
    ethernetTag: 0,
    mac,
    ip,
    label,
    label2: undefined,
  };
}

function inclusiveMulticast(routeDistinguisher: string, originator: string): EvpnRoute {
  return { kind: "inclusive-multicast", routeDistinguisher, ethernetTag: 0, originator };
}

const routeTarget = { kind: "route-target", value: "65001:228" } as const;
const vxlan = { kind: "encapsulation", tunnelType: 8 } as const;

/** What the captured messages say, written down by hand. */
const decoded = [
  {
    name: "FRR's MAC-only Type-2",
    body: captured.frrMacOnly,
    announced: [macIp("10.0.0.9:2", "b6:61:1d:95:dc:f0", undefined)],
    nextHop: "10.0.0.9",
    communities: [vxlan, routeTarget],
  },
  {
    name: "FRR's Type-3",
    body: captured.frrInclusiveMulticast,
    announced: [inclusiveMulticast("10.0.0.9:2", "10.0.0.9")],
    nextHop: "10.0.0.9",
    communities: [vxlan, routeTarget],
    pmsiTunnel: { tunnelType: 6, label: 228, endpoint: "10.0.0.9" },
  },
  {
    name: "FRR's host: MAC alone and MAC with IP",
    body: captured.frrMacAndMacIp,
    announced: [
      macIp("10.0.0.9:2", "02:00:00:00:00:aa", undefined),
      macIp("10.0.0.9:2", "02:00:00:00:00:aa", "203.0.113.50"),
    ],
    nextHop: "10.0.0.9",
    communities: [vxlan, routeTarget],
  },
  {
    name: "FRR's sticky MAC",
    body: captured.frrSticky,
    announced: [macIp("10.0.0.9:2", "02:00:00:00:00:bb", undefined)],
    nextHop: "10.0.0.9",
    communities: [vxlan, routeTarget, { kind: "mac-mobility", sticky: true, sequence: 0 }],
  },
  {
    name: "FRR's moved MAC",
    body: captured.frrMoved,
    announced: [
      macIp("10.0.0.9:2", "02:00:00:00:00:aa", undefined),
      macIp("10.0.0.9:2", "02:00:00:00:00:aa", "203.0.113.50"),
    ],
    nextHop: "10.0.0.9",
    communities: [vxlan, routeTarget, { kind: "mac-mobility", sticky: false, sequence: 1 }],
  },
  {
    name: "GoBGP's Type-3",
    body: captured.gobgpInclusiveMulticast,
    announced: [inclusiveMulticast("10.0.0.1:228", "10.0.0.1")],
    nextHop: "10.0.0.1",
    communities: [routeTarget, vxlan],
    pmsiTunnel: { tunnelType: 6, label: 228, endpoint: "10.0.0.1" },
  },
  {
    name: "GoBGP's Type-2",
    body: captured.gobgpMacIp,
    announced: [macIp("10.0.0.1:228", "02:00:00:00:01:01", "203.0.113.60")],
    nextHop: "10.0.0.1",
    communities: [routeTarget, vxlan],
  },
];

for (const { name, body, announced, nextHop, communities, pmsiTunnel } of decoded) {
  test(`decodes ${name}`, () => {
    const update = decodeUpdate(body, internal);
    assert.deepEqual(update.announced, announced);
    assert.equal(update.nextHop, nextHop);
    assert.deepEqual(update.attributes.extendedCommunities, communities);
    assert.deepEqual(update.attributes.pmsiTunnel, pmsiTunnel);
    assert.equal(update.attributes.localPreference, 100);
    assert.deepEqual(update.attributes.asPath, []);
    assert.deepEqual(
      { withdrawn: update.withdrawn, faults: update.faults, endOfRib: update.endOfRib },
      { withdrawn: [], faults: [], endOfRib: false },
    );
  });
}

test("decodes withdrawals of FRR (label 0) and GoBGP (label kept)", () => {
  assert.deepEqual(decodeUpdate(captured.frrWithdrawal, internal).withdrawn, [
    macIp("10.0.0.9:2", "02:00:00:00:00:aa", "203.0.113.50", 0),
    macIp("10.0.0.9:2", "02:00:00:00:00:aa", undefined, 0),
  ]);
  assert.deepEqual(decodeUpdate(captured.gobgpWithdrawal, internal).withdrawn, [
    macIp("10.0.0.1:228", "02:00:00:00:00:aa", "203.0.113.50"),
  ]);
});

test("End-of-RIB is read in both forms and written as GoBGP and FRR write it", () => {
  assert.equal(decodeUpdate(captured.endOfRib, internal).endOfRib, true);
  assert.equal(decodeUpdate(hex("0000 0007 900f 0003 001946"), internal).endOfRib, true, "extended length");
  assert.equal(decodeUpdate(hex("0000 0006 800f03 000201"), internal).endOfRib, false, "IPv6 multicast's");
  assert.equal(decodeUpdate(captured.gobgpWithdrawal, internal).endOfRib, false, "a real withdrawal");
  assert.deepEqual(encodeEndOfRib(), message(2, captured.endOfRib));
});

test("a withdrawal has the bytes of GoBGP's", () => {
  const route = macIp("10.0.0.1:228", "02:00:00:00:00:aa", "203.0.113.50");
  assert.deepEqual(encodeWithdrawal([route], encoding), [message(2, captured.gobgpWithdrawal)]);
});

const own: Announcement = {
  nextHop: "10.0.0.9",
  asPath: [],
  localPreference: 100,
  extendedCommunities: [vxlan, routeTarget],
  ingressReplication: undefined,
};

/*
 * The attributes are FRR's bytes in FRR's order, but for two flags: FRR writes MP_REACH_NLRI and AS_PATH with the
 * extended length flag although they are short.
 */
test("a Type-3 has the attributes of FRR's", () => {
  const [bytes] = encodeAnnouncement(
    [inclusiveMulticast("10.0.0.9:2", "10.0.0.9")],
    { ...own, ingressReplication: { label: 228, endpoint: "10.0.0.9" } },
    encoding,
  );
  const body = hex(`
    0000 004c
    800e1c 0019 46 04 0a000009 00
      03 11 00010a0000090002 00000000 20 0a000009
    400101 00
    400200
    400504 00000064
    c01010 030c000000000008 0002fde9000000e4
    c01609 00 06 0000e4 0a000009`);
  assert.deepEqual(bytes, message(2, body));
});

test("two Type-2 with a sequence share a message with the attributes of FRR's", () => {
  const [bytes, ...more] = encodeAnnouncement(
    [macIp("10.0.0.9:2", "02:00:00:00:00:aa", undefined), macIp("10.0.0.9:2", "02:00:00:00:00:aa", "203.0.113.50")],
    { ...own, extendedCommunities: [vxlan, routeTarget, { kind: "mac-mobility", sticky: false, sequence: 1 }] },
    encoding,
  );
  const body = hex(`
    0000 007f
    800e53 0019 46 04 0a000009 00
      02 21 00010a0000090002 00000000000000000000 00000000 30 0200000000aa 00 0000e4
      02 25 00010a0000090002 00000000000000000000 00000000 30 0200000000aa 20 cb007132 0000e4
    400101 00
    400200
    400504 00000064
    c01018 030c000000000008 0002fde9000000e4 0600000000000001`);
  assert.deepEqual(bytes, message(2, body));
  assert.deepEqual(more, []);
});

test("an external peer gets our AS in the path and no LOCAL_PREF (RFC 4271 section 5.1)", () => {
  const external = { ...own, asPath: [4200000000], localPreference: undefined };
  const routes = [inclusiveMulticast("10.0.0.9:2", "10.0.0.9")];
  const [four] = encodeAnnouncement(routes, external, encoding);
  assert.equal(four?.includes(hex("400101 00 400206 0201 fa56ea00 c01010")), true, "four octets");
  const [two] = encodeAnnouncement(routes, external, { ...encoding, fourOctetAs: false });
  assert.equal(two?.includes(hex("400101 00 400204 0201 5ba0 c01010")), true, "AS_TRANS in two octets");
});

test("many routes are spread over messages that fit", () => {
  const routes = Array.from({ length: 300 }, (_, index) =>
    macIp("10.0.0.9:2", "02:00:00:00:00:aa", `203.0.${Math.floor(index / 256)}.${index % 256}`),
  );
  const messages = encodeAnnouncement(routes, own, encoding);
  // 39 bytes each: 103 fit beside the other attributes.
  assert.deepEqual(
    messages.map((bytes) => decodeUpdate(bytes.subarray(19), internal).announced.length),
    [103, 103, 94],
  );
  assert.ok(messages.every((bytes) => bytes.length <= 4096));
  assert.deepEqual(
    messages.flatMap((bytes) => decodeUpdate(bytes.subarray(19), internal).announced),
    routes,
  );
  const withdrawals = encodeWithdrawal(routes, encoding);
  assert.ok(withdrawals.every((bytes) => bytes.length <= 4096));
  assert.deepEqual(
    withdrawals.flatMap((bytes) => decodeUpdate(bytes.subarray(19), internal).withdrawn),
    routes,
  );
});

test("extended messages hold up to 65535 bytes (RFC 8654 section 3)", () => {
  const mac = (index: number) => `02:00:00:00:${index.toString(16).padStart(4, "0").replace(/^(..)/, "$1:")}`;
  const routes = Array.from({ length: 1872 }, (_, index) => macIp("10.0.0.9:2", mac(index), undefined));
  const announcement: Announcement = {
    nextHop: "10.0.0.9",
    asPath: [],
    localPreference: undefined,
    extendedCommunities: [],
    ingressReplication: undefined,
  };
  const messages = encodeAnnouncement(routes, announcement, { ...encoding, maximumMessageLength: 65535 });
  // 43 bytes around routes of 35 bytes each, so that 1871 fit; 42 where the attribute's length has one byte.
  assert.deepEqual(
    messages.map((bytes) => [bytes.length, bytes.readUInt16BE(16)]),
    [
      [65528, 65528],
      [77, 77],
    ],
  );
  assert.deepEqual(
    messages.flatMap((bytes) => decodeUpdate(bytes.subarray(19), { ...internal, internal: false }).announced),
    routes,
  );
});
