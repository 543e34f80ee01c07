import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  canonicalAddress,
  canonicalPrefix,
  containsAddress,
  overlaps,
  type Prefix,
  parsePrefix,
} from "../../../model/index.js";

describe("canonical text", () => {
  // RFC 5952 sections 4 and 5.
  const addresses: readonly (readonly [written: string, canonical: string])[] = [
    ["2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"],
    ["2001:DB8::1", "2001:db8::1"],
    ["2001:db8:0:0:0:0:2:1", "2001:db8::2:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["::", "::"],
    ["10.0.7.5", "10.0.7.5"],
  ];
  for (const [written, canonical] of addresses) test(written, () => assert.equal(canonicalAddress(written), canonical));
  test("prefix", () => assert.equal(canonicalPrefix("2001:DB8:0::/64"), "2001:db8::/64"));
});

describe("what is not an address or prefix", () => {
  for (const text of [
    "",
    "10.0.7.0",
    "10.0.7.0/33",
    "10.0.7.0/+8",
    "10.0.7.0/08",
    "10.0.7/24",
    "010.0.7.0/24",
    "10.0.7.0/24/1",
    "fe80::1%eth0/64",
    "::ffff:10.0.7.0/120",
    "2001:db8::/129",
    "12345::/16",
  ]) {
    test(JSON.stringify(text), () => assert.equal(parsePrefix(text), undefined));
  }
});

function prefix(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
}

test("containment and overlap", () => {
  assert.equal(containsAddress(prefix("10.0.7.0/24"), prefix("10.0.7.255/32")), true);
  assert.equal(containsAddress(prefix("10.0.7.0/24"), prefix("10.0.8.0/32")), false);
  assert.equal(containsAddress(prefix("0.0.0.0/0"), prefix("255.255.255.255/32")), true);
  assert.equal(containsAddress(prefix("::/0"), prefix("10.0.7.0/32")), false);
  assert.equal(overlaps(prefix("10.0.0.0/8"), prefix("10.0.7.0/24")), true);
  assert.equal(overlaps(prefix("10.0.7.0/25"), prefix("10.0.7.128/25")), false);
  assert.equal(overlaps(prefix("2001:db8::/32"), prefix("2001:db8:1::/64")), true);
});

test("canonical text is a fixed point", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const canonical = canonicalAddress(text);
      assert.equal(canonicalAddress(canonical), canonical);
    }),
  );
});
