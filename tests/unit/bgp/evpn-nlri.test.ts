import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeEvpnNlri, type EvpnRoute, encodeEvpnRoute } from "../../../agent-image/agent/bgp/codec/evpn-nlri.js";
import { hex } from "./bytes.js";

const routes: readonly { readonly name: string; readonly bytes: string; readonly route: EvpnRoute }[] = [
  {
    name: "Type-2 with MAC alone",
    bytes: "02 21 0001 0a000009 0002 00000000000000000000 00000000 30 0200000000bb 00 0000e4",
    route: {
      kind: "mac-ip",
      routeDistinguisher: "10.0.0.9:2",
      ethernetSegment: "00000000000000000000",
      ethernetTag: 0,
      mac: "02:00:00:00:00:bb",
      ip: undefined,
      label: 228,
      label2: undefined,
    },
  },
  {
    name: "Type-2 with IPv6, an Ethernet segment, a tag and two labels",
    bytes: `02 34 0000 fde8 000003e9 00112233445566778899 000003e9 30 001122334455 80
            20010db8000000000000000000000007 00000a ffffff`,
    route: {
      kind: "mac-ip",
      routeDistinguisher: "65000:1001",
      ethernetSegment: "00112233445566778899",
      ethernetTag: 1001,
      mac: "00:11:22:33:44:55",
      ip: "2001:db8::7",
      label: 10,
      label2: 16777215,
    },
  },
  {
    name: "Type-3 with IPv6 and the RD of a four-octet AS",
    bytes: "03 1d 0002 fa56ea00 00e4 00000000 80 20010db8000000000000000000000001",
    route: {
      kind: "inclusive-multicast",
      routeDistinguisher: "4200000000:228",
      ethernetTag: 0,
      originator: "2001:db8::1",
    },
  },
  {
    name: "a route type of RFC 9251",
    bytes: "06 04 01020304",
    route: { kind: "unknown", type: 6, value: hex("01020304") },
  },
  {
    name: "an RD type that nobody has defined",
    bytes: "03 11 0007 0a000009 0002 00000000 20 0a000009",
    route: {
      kind: "inclusive-multicast",
      routeDistinguisher: "0x00070a0000090002",
      ethernetTag: 0,
      originator: "10.0.0.9",
    },
  },
];

for (const { name, bytes, route } of routes) {
  test(`${name}, both ways`, () => {
    assert.deepEqual(decodeEvpnNlri(hex(bytes)), { routes: [route], unusable: [], faults: [] });
    assert.equal(encodeEvpnRoute(route).toString("hex"), hex(bytes).toString("hex"));
  });
}

test("a whole list", () => {
  const field = hex(routes.map(({ bytes }) => bytes).join(""));
  assert.deepEqual(decodeEvpnNlri(field), { routes: routes.map(({ route }) => route), unusable: [], faults: [] });
});
