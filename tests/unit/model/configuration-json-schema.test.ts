import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { configurationJsonSchema, type MistakeCode, parseConfiguration } from "../../../model/index.js";
import { seed } from "../../support/seed.js";
import { document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

type Json = { readonly [key: string]: unknown };

const schema = configurationJsonSchema();
// Strict: a keyword that JSON Schema does not have fails. `required` may stand apart from `properties`, in a choice.
const accepts = new Ajv2020({ strict: true, strictRequired: false, allErrors: true }).compile(schema);

/** Where the schema sees mistakes, as JSON pointers; empty when it sees none. */
function complaintsOf(value: unknown): readonly string[] {
  accepts(value);
  return (accepts.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe("the JSON Schema for editors", () => {
  test("is of the draft that it names", () => {
    assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  });

  test("takes the seed file as it stands", () => assert.deepEqual(complaintsOf(parse(seed)), []));

  const written: Readonly<Record<string, unknown>> = {
    "a list of subnets": document(vlanNetwork({}, {}, { routing: [vlanNetwork().routing] })),
    "arpAnnouncer as a mapping": document(vlanNetwork({}, { arpAnnouncer: { interval: 30 } })),
    "arpAnnouncer switched off": document(vlanNetwork({}, { arpAnnouncer: false })),
    "bfd as a mapping": document(
      vxlanNetwork({
        bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"], bfd: { minRxInterval: 50, multihop: "on" } },
      }),
    ),
    "bfd in a word": document(
      vxlanNetwork({ bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"], bfd: "yes" } }),
    ),
    "segmentFilter in words": document(vlanNetwork({}, {}, { segmentFilter: "off" })),
    "the other switches in words": document(
      vxlanNetwork({ bridge: "yes", txChecksum: "off" }, { onlink: "no", arpAnnouncer: { enabled: "on" } }),
      vlanNetwork({}, { arpAnnouncer: "off" }),
    ),
    "AS numbers in quotes": document(
      vxlanNetwork({ bgp: { myAsn: "64512.1", peerAsn: "65001", peers: ["10.0.7.19"], routeTarget: "65001:228" } }),
    ),
    "no network at all": document(),
    remotes: document(vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.6"] })),
    "a name, a CNI and a selector": {
      ...document(vlanNetwork({}, {}, { name: "uplink", nodeSelector: { "topology.kubernetes.io/zone": "z1" } })),
      cni: "cilium",
    },
  };
  for (const [what, value] of Object.entries(written)) {
    test(`takes ${what}`, () => assert.deepEqual(complaintsOf(JSON.parse(JSON.stringify(value))), []));
  }

  const refused: readonly (readonly [what: string, value: unknown, complaint: string])[] = [
    ["an unknown key at the top", { ...document(), podnetworks: [] }, " additionalProperties"],
    ["an unknown key of a network", document(vlanNetwork({}, {}, { vlna: {} })), "/networks/0 additionalProperties"],
    ["an unknown key inside", document(vlanNetwork({ idd: 7 })), "/networks/0/vlan additionalProperties"],
    [
      "an unknown key of a subnet",
      document(vlanNetwork({}, { gatewai: "198.51.100.1" })),
      "/networks/0/routing additionalProperties",
    ],
    ["the other type's key", document(vlanNetwork({}, {}, { vxlan: {} })), "/networks/0 additionalProperties"],
    ["no podNetworks", { networks: [] }, " required"],
    ["a VNI of 25 bits", document(vxlanNetwork({ vni: 16_777_216 })), "/networks/0/vxlan/vni maximum"],
    ["a number in quotes", document(vlanNetwork({ id: "220" })), "/networks/0/vlan/id type"],
    ["an address as prefix", document(vxlanNetwork({ nodeNet: "10.0.7.0" })), "/networks/0/vxlan/nodeNet pattern"],
    ["a slash in an interface", document(vlanNetwork({ parent: "bond0/1" })), "/networks/0/vlan/parent pattern"],
    ["bgp beside remotes", document(vxlanNetwork({ remotes: ["10.0.7.6"] })), "/networks/0/vxlan oneOf"],
    ["neither bgp nor remotes", document({ ...vxlanNetwork(), vxlan: { vni: 1 } }), "/networks/0/vxlan oneOf"],
    ["an unknown CNI", { ...document(), cni: "weave" }, "/cni enum"],
  ];
  for (const [what, value, complaint] of refused) {
    test(`refuses ${what}`, () => {
      const complaints = complaintsOf(value);
      assert.ok(complaints.includes(complaint), `${complaint} is not among ${complaints.join(", ")}`);
    });
  }

  test("says of every field what it means", () => {
    const mute: string[] = [];
    const walk = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, nested] of Object.entries(value)) {
        if (key === "properties") {
          for (const [field, content] of Object.entries(nested as Json)) {
            if (typeof (content as Json).description !== "string") mute.push(`${place}.${field}`);
          }
        }
        walk(nested, `${place}.${key}`);
      }
    };
    walk(schema, "");
    assert.deepEqual(mute, []);
  });
});

/** Every field, each with a value that fits. */
const networks = [
  vxlanNetwork(
    {
      nodeInterface: "eth0",
      port: 4789,
      mtu: 1450,
      bgp: {
        myAsn: 65001,
        peerAsn: 65001,
        peers: ["10.0.7.19"],
        holdTime: 30,
        routeTarget: "65001:228",
        importRouteTargets: ["65001:228"],
        routeDistinguisher: "10.0.7.5:228",
        routerId: "10.0.7.5",
        gobgpPort: 20228,
      },
    },
    { table: 228, onlink: false, returnPath: "auto", arpAnnouncer: { enabled: true, interval: 60 } },
    { name: "edge", nodeSelector: { rack: "a" }, segmentFilter: true },
  ),
  vlanNetwork({ mtu: 1500 }),
  vxlanNetwork({ vni: 229, bgp: undefined, remotes: ["10.0.7.6"] }, { cidr: "192.0.2.0/24", gateway: "192.0.2.1" }),
];
const whole = JSON.parse(JSON.stringify({ ...document(...networks), cni: "cilium" })) as Json;

const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 64, 228, 1279, 4095, 23_456, 65_536, 4_294_967_295, 4_294_967_296, 1e20],
  ...["", " ", "on", "off", "yes", "auto", "vlan", "vxlan", "calico", "flannel", "frr", "rfc8365", "a\nb", "ä", ".."],
  ...["0", "65001", "64512.1", "1.10", "65536.0", "4294967296", "12345678901", "65001:1", "10.0.0.1:1", "1:2:3"],
  ...["10.0.7.9", "10.0.7.9/24", "10.0.9.0/24", "10.0.9.0/024", "0.0.0.0", "fe80::1", "FE80::1", "2001:db8::/32"],
  ...[
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
    "bond0",
    "bond0/1",
    "bond0:1",
    "enp130s0f0np0.40",
    "Uplink",
    "a.b",
    "n".repeat(64),
  ],
  ...[[], {}, ["10.0.7.9"], ["10.0.9.0/24"], [null], [[]], { a: 1 }, { rack: "a b" }, { "a b": "a" }, { interval: 60 }],
  ...[{ cidr: "203.0.113.0/24", gateway: "203.0.113.1" }, { parent: "bond0", id: 7 }, Array(65).fill("10.0.7.9")],
];

/** Mistakes that stand in one place and that a schema can see; the rest only our own checks see. */
const visible: ReadonlySet<MistakeCode> = new Set([
  "InvalidLabelKey",
  "InvalidLabelValue",
  "InvalidName",
  "Missing",
  "NotOneOf",
  "NotSupported",
  "OutOfRange",
  "UnknownKey",
  "WrongType",
]);

/** The document with each of its places given each of the values in turn, and with each of its keys left out. */
function* changes(value: unknown): Generator<unknown> {
  yield* values;
  if (typeof value !== "object" || value === null) return;
  for (const [key, nested] of Object.entries(value)) {
    for (const other of changes(nested)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
    if (Array.isArray(value)) continue;
    const { [key]: _left, ...rest } = value as Json;
    yield rest;
    yield { ...rest, [`${key}x`]: nested };
  }
}

test("the JSON Schema and the parser agree, whatever stands at whatever place", () => {
  assert.deepEqual(mistakesOf(whole), []);
  let both = 0;
  let neither = 0;
  const disagreements: string[] = [];
  const note = (what: string, changed: unknown, detail: unknown) =>
    disagreements.push(`${what}: ${JSON.stringify(detail)} of ${JSON.stringify(changed)}`);
  for (const changed of changes(whole)) {
    const result = parseConfiguration(changed);
    const taken = accepts(changed);
    if (result.ok && taken) both += 1;
    else if (result.ok) note("only the schema refuses", changed, complaintsOf(changed));
    else if (!taken) neither += 1;
    else {
      // A number that is written as a text has no range that a schema could bound.
      const seen = result.mistakes.filter(
        ({ code, value }) => visible.has(code) && !(code === "OutOfRange" && typeof value === "string"),
      );
      if (seen.length > 0) note("the schema does not see", changed, seen);
    }
  }
  assert.deepEqual(disagreements.slice(0, 5), []);
  // That both outcomes were tried, and many times.
  assert.ok(both > 100 && neither > 1000, `${both} documents taken, ${neither} refused`);
});
