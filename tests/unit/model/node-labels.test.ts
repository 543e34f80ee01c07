import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { configurationOf, document, mistakesOf, vlanNetwork } from "./samples.js";

const selecting = (nodeSelector: unknown) => document(vlanNetwork({}, {}, { nodeSelector }));

const keyRemedy =
  "belongs to a key that no node label can have; " +
  "write the label's key as kubectl get nodes --show-labels does, such as topology.kubernetes.io/zone";
const valueRemedy =
  "is a value that no node label can have; " +
  "write at most 63 letters, digits, hyphens, underscores and dots, the first and last a letter or digit";

describe("nodeSelector refuses what no node can carry", () => {
  const label253 = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;

  for (const key of [
    "",
    "rack a",
    "rack/",
    "/rack",
    "a/b/c",
    "-rack",
    "rack.",
    "Example.com/rack",
    "example..com/rack",
    "räck",
    "rack\n",
    "r".repeat(64),
    `${label253}e/rack`,
  ]) {
    test(`key ${JSON.stringify(key)}`, () => {
      const shown = key === "rack\n" ? "rack\\u000a" : key;
      assert.deepEqual(mistakesOf(selecting({ [key]: "a" })), [`networks[0].nodeSelector.${shown}: a ${keyRemedy}`]);
    });
  }

  for (const key of ["rack", "r", "Rack_1.x", "topology.kubernetes.io/zone", "r".repeat(63), `${label253}/rack`]) {
    test(`but not key ${key}`, () => assert.deepEqual(mistakesOf(selecting({ [key]: "a" })), []));
  }

  for (const [value, shown] of [
    ["a b", "a b"],
    ["-a", "-a"],
    ["a.", "a."],
    ["a/b", "a/b"],
    ["ä", "ä"],
    ["v".repeat(64), `${"v".repeat(59)}…`],
  ] as const) {
    test(`value ${value}`, () => {
      assert.deepEqual(mistakesOf(selecting({ rack: value })), [
        `networks[0].nodeSelector.rack: ${shown} ${valueRemedy}`,
      ]);
    });
  }

  for (const value of ["", "a", "A-1_b.c", "v".repeat(63)]) {
    test(`but not value ${JSON.stringify(value)}`, () => assert.deepEqual(mistakesOf(selecting({ rack: value })), []));
  }

  test("a value that YAML has made a boolean or a number of", () => {
    assert.deepEqual(mistakesOf(selecting({ edge: true, rack: 7 })), [
      'networks[0].nodeSelector.edge: true is not a text; write "true" in quotes',
      'networks[0].nodeSelector.rack: 7 is not a text; write "7" in quotes',
    ]);
  });
});

test("mistakes in keys, in values and in the rest of the network come out of one run", () => {
  const network = vlanNetwork({ id: 254 }, {}, { nodeSelector: { "rack a": "a", role: "ed ge", zone: "z1" } });
  assert.deepEqual(mistakesOf(document(network)), [
    `networks[0].nodeSelector.rack a: a ${keyRemedy}`,
    `networks[0].nodeSelector.role: ed ge ${valueRemedy}`,
    "networks[0].vlan.id: 254 is the kernel's main routing table; set routing.table",
  ]);
});

test("what is right stays as it is written", () => {
  const [network] = configurationOf(selecting({ "topology.kubernetes.io/zone": "z1", edge: "" })).networks;
  assert.deepEqual(network?.nodeSelector, { "topology.kubernetes.io/zone": "z1", edge: "" });
});

describe("vlan.parent is a name that an interface can have", () => {
  for (const [parent, shown] of [
    ["", '""'],
    ["bond0/1", "bond0/1"],
    ["bond 0", "bond 0"],
    ["bond0:1", "bond0:1"],
    ["bond\t0", '"bond\\t0"'],
    [".", "."],
    ["..", ".."],
    ["bönd0", "bönd0"],
    ["enp130s0f0np0.40", "enp130s0f0np0.40"],
  ] as const) {
    test(JSON.stringify(parent), () => {
      assert.deepEqual(mistakesOf(document(vlanNetwork({ parent }))), [
        `networks[0].vlan.parent: ${shown} is not an interface name; write 1 to 15 characters without space, slash or colon, such as bond0`,
      ]);
    });
  }

  for (const parent of ["b", "bond0.100", "eth0@x", "enp130s0f0np0.4"]) {
    test(`${parent} is`, () => assert.deepEqual(mistakesOf(document(vlanNetwork({ parent }))), []));
  }
});
