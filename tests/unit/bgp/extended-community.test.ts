import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decodeExtendedCommunity,
  type ExtendedCommunity,
  encodeExtendedCommunity,
} from "../../../agent-image/agent/bgp/codec/extended-community.js";
import { hex } from "./bytes.js";

/** Bytes from captures of FRR and GoBGP and from the RFCs. */
const communities: readonly { readonly bytes: string; readonly community: ExtendedCommunity }[] = [
  { bytes: "00 02 fde9 000000e4", community: { kind: "route-target", value: "65001:228" } },
  // RFC 8365 section 5.1.2.1: the automatic form of Junos.
  { bytes: "00 02 fde9 100000e4", community: { kind: "route-target", value: "65001:268435684" } },
  { bytes: "01 02 0a000007 00e4", community: { kind: "route-target", value: "10.0.0.7:228" } },
  { bytes: "02 02 fa56ea00 00e4", community: { kind: "route-target", value: "4200000000:228" } },
  { bytes: "02 02 0000fde9 00e4", community: { kind: "route-target", value: "65001L:228" } },
  { bytes: "03 0c 00000000 0008", community: { kind: "encapsulation", tunnelType: 8 } },
  { bytes: "03 0d 00000000 0000", community: { kind: "default-gateway" } },
  { bytes: "06 00 00 00 00000007", community: { kind: "mac-mobility", sticky: false, sequence: 7 } },
  { bytes: "06 00 01 00 ffffffff", community: { kind: "mac-mobility", sticky: true, sequence: 4294967295 } },
  // RFC 7432 section 7.5; GoBGP 4.8.0 sends the first for `esi-label 100 single-active`.
  { bytes: "06 01 01 0000 000064", community: { kind: "esi-label", singleActive: true, label: 100 } },
  { bytes: "06 01 00 0000 ffffff", community: { kind: "esi-label", singleActive: false, label: 16777215 } },
  // RFC 7432 section 7.6
  { bytes: "06 02 1122334455 66", community: { kind: "es-import", mac: "11:22:33:44:55:66" } },
  // RFC 9135 section 8.1
  { bytes: "06 03 02000000 00aa", community: { kind: "router-mac", mac: "02:00:00:00:00:aa" } },
  // RFC 9047 section 2
  { bytes: "06 08 01 0000000000", community: { kind: "arp-nd", router: true, override: false, immutable: false } },
  { bytes: "06 08 0a 0000000000", community: { kind: "arp-nd", router: false, override: true, immutable: true } },
  { bytes: "06 7f 02000000 00aa", community: { kind: "unknown", hex: "067f0200000000aa" } },
];

for (const { bytes, community } of communities) {
  test(`${bytes} is ${JSON.stringify(community)}, both ways`, () => {
    assert.deepEqual(decodeExtendedCommunity(hex(bytes)), community);
    assert.deepEqual(encodeExtendedCommunity(community), hex(bytes));
  });
}

test("route targets that do not fit say why", () => {
  const encode = (value: string) => () => encodeExtendedCommunity({ kind: "route-target", value });
  assert.throws(encode("4200000000:65536"), {
    message:
      'the number 65536 in "4200000000:65536" is above 65535: with an IPv4 address or a four-octet AS it has 16 bits',
  });
  assert.throws(encode("4294967296:1"), { message: 'the AS number 4294967296 in "4294967296:1" is above 4294967295' });
  assert.throws(encode("65001"), { message: '"65001" has none of the forms AS:NUMBER and A.B.C.D:NUMBER' });
  assert.throws(encode("10.0.0:1"), { message: '"10.0.0" in "10.0.0:1" is not an IPv4 address' });
});
