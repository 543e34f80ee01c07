import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressCapacity,
  checkPoolAddresses,
  poolAddresses,
  renderMistake,
  sharedPoolAddresses,
} from "../../../model/index.js";

const subnets: readonly (readonly [string, string, readonly string[], number])[] = [
  // RFC 1122 section 3.2.1.3: neither the network's address nor the broadcast address is a host's.
  ["203.0.113.0/24", "203.0.113.1", ["203.0.113.2-203.0.113.254"], 253],
  ["203.0.113.0/24", "203.0.113.254", ["203.0.113.1-203.0.113.253"], 253],
  ["203.0.113.0/24", "203.0.113.100", ["203.0.113.1-203.0.113.99", "203.0.113.101-203.0.113.254"], 253],
  ["203.0.113.0/30", "203.0.113.1", ["203.0.113.2-203.0.113.2"], 1],
  // RFC 3021: both addresses of a /31 are hosts'.
  ["203.0.113.0/31", "203.0.113.0", ["203.0.113.1-203.0.113.1"], 1],
  ["203.0.113.7/32", "192.0.2.1", ["203.0.113.7-203.0.113.7"], 1],
  ["203.0.113.0/24", "192.0.2.1", ["203.0.113.1-203.0.113.254"], 254],
  ["198.51.100.0/23", "198.51.100.1", ["198.51.100.2-198.51.101.254"], 509],
  // RFC 4291 section 2.6.1: the first is the routers' anycast address; there is no broadcast.
  ["2001:db8::/126", "2001:db8::1", ["2001:db8::2-2001:db8::3"], 2],
  ["2001:db8::/126", "fe80::1", ["2001:db8::1-2001:db8::3"], 3],
  // RFC 6164.
  ["2001:db8::/127", "2001:db8::", ["2001:db8::1-2001:db8::1"], 1],
];

for (const [cidr, gateway, ranges, capacity] of subnets) {
  test(`${cidr} with the gateway ${gateway} has ${capacity} addresses for customers`, () => {
    assert.deepEqual(poolAddresses([{ cidr, gateway }]), ranges);
    assert.equal(addressCapacity([{ cidr, gateway }]), capacity);
  });
}

test("the subnets of a network are pooled together", () => {
  const routing = [
    { cidr: "203.0.113.0/29", gateway: "203.0.113.1" },
    { cidr: "2001:db8::/125", gateway: "2001:db8::1" },
  ];
  assert.deepEqual(poolAddresses(routing), ["203.0.113.2-203.0.113.6", "2001:db8::2-2001:db8::7"]);
  assert.equal(addressCapacity(routing), 11);
});

const routing = [{ cidr: "203.0.113.0/24", gateway: "203.0.113.1" }];

test("chosen addresses may be prefixes and ranges inside", () => {
  assert.deepEqual(
    checkPoolAddresses(routing, ["203.0.113.128/26", "203.0.113.16-203.0.113.31", "203.0.113.2 - 203.0.113.2"]),
    [],
  );
});

test("chosen addresses that no customer can have are refused, with what is possible", () => {
  const found = checkPoolAddresses(routing, [
    "203.0.113.0/24",
    "198.51.100.7/32",
    "203.0.113.9",
    "203.0.113.9-203.0.113.8",
  ]);
  assert.deepEqual(found.map(renderMistake), [
    "addresses[0]: 203.0.113.0/24 holds addresses that customers of this network cannot have; stay inside 203.0.113.2-203.0.113.254",
    "addresses[1]: 198.51.100.7/32 holds addresses that customers of this network cannot have; stay inside 203.0.113.2-203.0.113.254",
    "addresses[2]: 203.0.113.9 is neither a prefix nor a range of addresses; write ADDRESS/LENGTH or FIRST-LAST",
    "addresses[3]: 203.0.113.9-203.0.113.8 is neither a prefix nor a range of addresses; write ADDRESS/LENGTH or FIRST-LAST",
  ]);
});

test("pools overlap when they share one address, in whatever form it is written", () => {
  const pool = ["203.0.113.2-203.0.113.99", "203.0.113.101-203.0.113.254"];
  assert.equal(sharedPoolAddresses(pool, ["203.0.113.254/32"]), "203.0.113.101-203.0.113.254");
  assert.equal(
    sharedPoolAddresses(pool, ["203.0.113.100/32", "203.0.114.0/24", "2001:db8::/64", "nonsense"]),
    undefined,
  );
  assert.equal(sharedPoolAddresses(["2001:db8::2-2001:db8::9"], ["2001:db8::/64"]), "2001:db8::2-2001:db8::9");
});
