import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cleanUpPlan, type ObservedState, operationText } from "../../../model/index.js";

const nothing: ObservedState = { links: [], addresses: [], routes: [], rules: [], sysctls: {}, forwarding: {} };
const plainRoute = { family: 4, table: 220, protocol: 118, onlink: false, plain: true } as const;
const plainRule = { family: 4, priority: 4016, protocol: 118, from: "198.51.100.0/24", plain: true } as const;
const lookup220 = { kind: "lookup", table: 220 } as const;
const ours = {
  name: "vlan220",
  kind: "vlan",
  alias: "vlan-router:public",
  mtu: 1500,
  up: true,
  parent: "bond0",
} as const;
const adopted = { name: "bond0.220", kind: "vlan", mtu: 1500, up: true, parent: "bond0", vlan: { id: 220 } } as const;

describe("what a clean-up removes, takes along and leaves", () => {
  test("nothing where nothing is", () => {
    assert.deepEqual(cleanUpPlan(nothing), { operations: [], stays: [], goesAlong: [] });
  });

  test("an adopted interface loses our routes and stays, and is named", () => {
    const plan = cleanUpPlan({
      ...nothing,
      links: [{ name: "bond0", mtu: 1500, up: true }, adopted],
      routes: [{ ...plainRoute, destination: "198.51.100.0/24", device: "bond0.220" }],
    });
    assert.deepEqual(plan.operations.map(operationText), ["ip -4 route del 198.51.100.0/24 table 220 protocol 118"]);
    assert.deepEqual(plan.stays, [
      {
        reason: "AdoptedInterface",
        message: "interface bond0.220 (VLAN 220 on bond0): it was not made by this agent, which only used it",
        ours: false,
      },
    ]);
  });

  test("other interfaces, rules and routes have nothing to do with it and are not named", () => {
    const plan = cleanUpPlan({
      ...nothing,
      links: [adopted, ours],
      routes: [{ ...plainRoute, protocol: 3, table: 99, destination: "default", device: "bond0.220" }],
      rules: [
        { ...plainRule, action: lookup220 },
        { ...plainRule, protocol: 0, priority: 1500, action: { kind: "lookup", table: 99 } },
        // Of the same priority in the other family.
        { ...plainRule, protocol: 0, family: 6, from: "2001:db8::/64", action: { kind: "unreachable" } },
        { family: 4, priority: 32_766, protocol: 2, action: { kind: "lookup", table: 254 }, plain: true },
      ],
    });
    assert.deepEqual([plan.stays, plan.goesAlong], [[], []]);
  });

  test("our exceptions look up main, which makes no table of ours of it", () => {
    const plan = cleanUpPlan({
      ...nothing,
      routes: [{ ...plainRoute, protocol: 3, table: 254, destination: "default", gateway: "10.0.7.1", device: "eth0" }],
      rules: [{ ...plainRule, priority: 3000, to: "10.244.0.0/16", action: { kind: "lookup", table: 254 } }],
    });
    assert.deepEqual(plan.stays, []);
  });

  test("a route of ours that somebody has put into main makes no table of ours of it", () => {
    const main = { ...plainRoute, table: 254 };
    const plan = cleanUpPlan({
      ...nothing,
      routes: [
        { ...main, destination: "192.0.2.0/24", device: "eth0" },
        { ...main, protocol: 3, destination: "default", gateway: "10.0.7.1", device: "eth0" },
      ],
    });
    assert.deepEqual(plan.operations.map(operationText), ["ip -4 route del 192.0.2.0/24 table 254 protocol 118"]);
    assert.deepEqual(plan.stays, []);
  });

  test("what stands on an interface of ours goes with it, but the address that the kernel gave it is not told", () => {
    const address = { device: "vlan220", prefixLength: 64, secondary: false, deprecated: false, tentative: false };
    const plan = cleanUpPlan({
      ...nothing,
      links: [ours, { name: "macvlan0", kind: "macvlan", mtu: 1500, up: true, parent: "vlan220" }],
      addresses: [
        { ...address, family: 6, address: "fe80::1" },
        { ...address, family: 6, address: "febf::1" },
        { ...address, family: 6, address: "2001:db8::7" },
        { ...address, device: "eth0", family: 6, address: "2001:db8:7::5" },
      ],
    });
    assert.deepEqual(plan.goesAlong, [
      "interface macvlan0 with vlan220, on which it stands",
      "address 2001:db8::7/64 with vlan220",
    ]);
  });

  test("a bridge with ports of others is ours and stays; its own port goes", () => {
    const plan = cleanUpPlan({
      ...nothing,
      links: [
        { ...ours, name: "br228", kind: "bridge" },
        { ...ours, name: "vxlan228", kind: "vxlan", master: "br228" },
        { name: "tap0", mtu: 1500, up: true, master: "br228" },
      ],
      addresses: [
        {
          device: "br228",
          family: 4,
          address: "203.0.113.9",
          prefixLength: 32,
          secondary: false,
          deprecated: false,
          tentative: false,
        },
      ],
    });
    assert.deepEqual(plan.operations.map(operationText), ["ip link del dev vxlan228"]);
    assert.deepEqual(
      plan.stays.map(({ reason, ours: own }) => [reason, own]),
      [["BridgeInUse", true]],
    );
    assert.deepEqual(plan.goesAlong, []);
  });
});
