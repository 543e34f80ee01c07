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
    name: "Type-1, as GoBGP 4.8.0 sends it",
    bytes: "01 19 0001 0a000001 00e4 00112233445566778899 00000064 0000e4",
    route: {
      kind: "ethernet-auto-discovery",
      routeDistinguisher: "10.0.0.1:228",
      ethernetSegment: "00112233445566778899",
      ethernetTag: 100,
      label: 228,
    },
  },
  {
    name: "Type-4 with IPv4, as GoBGP 4.8.0 sends it",
    bytes: "04 17 0001 0a000001 0000 00112233445566778899 20 0a000001",
    route: {
      kind: "ethernet-segment",
      routeDistinguisher: "10.0.0.1:0",
      ethernetSegment: "00112233445566778899",
      originator: "10.0.0.1",
    },
  },
  {
    name: "Type-4 with IPv6, as GoBGP 4.8.0 sends it",
    bytes: "04 23 0001 0a000001 0000 00112233445566778899 80 20010db8000000000000000000000001",
    route: {
      kind: "ethernet-segment",
      routeDistinguisher: "10.0.0.1:0",
      ethernetSegment: "00112233445566778899",
      originator: "2001:db8::1",
    },
  },
  {
    name: "Type-5 with IPv4 and a gateway, as GoBGP 4.8.0 sends it",
    bytes: "05 22 0001 0a000001 0032 00000000000000000000 00000007 18 cb007100 0a000005 00c434",
    route: {
      kind: "ip-prefix",
      routeDistinguisher: "10.0.0.1:50",
      ethernetSegment: "00000000000000000000",
      ethernetTag: 7,
      prefix: "203.0.113.0/24",
      gateway: "10.0.0.5",
      label: 50228,
    },
  },
  {
    name: "Type-5 with IPv6 and an Ethernet segment, as GoBGP 4.8.0 sends it",
    bytes: `05 3a 0001 0a000001 0032 00112233445566778899 00000000 30
            20010db8000100000000000000000000 20010db8000000000000000000000005 00c434`,
    route: {
      kind: "ip-prefix",
      routeDistinguisher: "10.0.0.1:50",
      ethernetSegment: "00112233445566778899",
      ethernetTag: 0,
      prefix: "2001:db8:1::/48",
      gateway: "2001:db8::5",
      label: 50228,
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

const type5 = (length: string, prefixLength: string, addresses: string) =>
  `05 ${length} 0001 0a000001 0032 00000000000000000000 00000000 ${prefixLength} ${addresses} 00c434`;
const ipv6Addresses = "20010db8000100000000000000000000 20010db8000000000000000000000005";

const malformed: readonly { readonly name: string; readonly bytes: string; readonly fault: string }[] = [
  {
    name: "Type-1 without its label",
    bytes: "01 16 0001 0a000001 00e4 00112233445566778899 00000064",
    fault: "type 1 left out: label needs 3 bytes but only 0 are left",
  },
  {
    name: "Type-1 with a byte more",
    bytes: "01 1a 0001 0a000001 00e4 00112233445566778899 00000064 0000e4 aa",
    fault: "type 1 left out: 1 bytes follow its last field",
  },
  {
    name: "Type-4 with its IP length in bytes",
    bytes: "04 17 0001 0a000001 0000 00112233445566778899 04 0a000001",
    fault: "type 4 left out: IP length is 4 bits, not 32 or 128",
  },
  {
    name: "Type-5 for IPv4 with a prefix length of IPv6 (FRRouting/frr#22353)",
    bytes: type5("22", "21", "cb007100 0a000005"),
    fault: "type 5 left out: prefix length is 33 bits, not 0 to 32",
  },
  {
    name: "Type-5 for IPv6 with a prefix length above 128",
    bytes: type5("3a", "81", ipv6Addresses),
    fault: "type 5 left out: prefix length is 129 bits, not 0 to 128",
  },
  {
    name: "Type-5 with a byte more",
    bytes: `${type5("23", "18", "cb007100 0a000005")} aa`,
    fault: "type 5 left out: its length is 35, not 34 or 58",
  },
];

for (const { name, bytes, fault } of malformed) {
  test(`${name} is left out, and the route behind it stays (RFC 7606 section 5.4)`, () => {
    const good = routes[0];
    assert.ok(good);
    assert.deepEqual(decodeEvpnNlri(hex(bytes + good.bytes)), {
      routes: [good.route],
      unusable: [],
      faults: [`EVPN route of ${fault}`],
    });
  });
}

test("a route that runs over the end of its field says of which type it is, known or not", () => {
  for (const type of [1, 2, 3, 4, 5, 200]) {
    assert.throws(() => decodeEvpnNlri(Buffer.from([type, 33, 0, 0])), {
      name: "BgpError",
      message: `EVPN route of type ${type} needs 33 bytes but only 2 are left`,
      clause: "RFC 7606 section 5.3",
    });
  }
});
