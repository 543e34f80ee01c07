import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  configurationCommands,
  gobgpPort,
  hasUnknown,
  interfaceName,
  type Mistake,
  type MistakeCode,
  type NamedNetwork,
  parseConfiguration,
  routeDistinguisher,
  routeTargets,
  routingTable,
  unknownValue,
  vxlanMac,
} from "../../../model/index.js";

/** A fixed seed, so that a failure is the same for everybody. */
const runs = { numRuns: 300, seed: 228 } as const;

type Path = readonly (string | number)[];
type Json = unknown;

/** Paths of everything in a document that may be unknown: leaves, and objects and lists as a whole. */
function places(value: Json, path: Path = []): readonly Path[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => places(item, [...path, index]))
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, nested]) => places(nested, [...path, key]))
      : [];
  return [path, ...inside].filter(mayBeUnknown);
}

/** How many networks there are and of which type must be known: everything else hangs on it. */
function mayBeUnknown(path: Path): boolean {
  return path.length > 0 && path.at(-1) !== "type" && !(path[0] === "networks" && path.length < 3);
}

function valueAt(document: Json, path: Path): Json {
  return path.reduce<Json>((value, step) => (value as Record<string | number, Json> | undefined)?.[step], document);
}

/** The document with other values at some places, outer places first. */
function changed(document: Json, at: readonly Path[], value: (path: Path) => Json): Json {
  const copy = structuredClone(document);
  for (const path of at.toSorted((left, right) => left.length - right.length)) {
    const owner = valueAt(copy, path.slice(0, -1));
    const key = path.at(-1);
    if (typeof owner === "object" && owner !== null && key !== undefined) {
      (owner as Record<string | number, Json>)[key] = structuredClone(value(path));
    }
  }
  return copy;
}

const withUnknown = (document: Json, at: readonly Path[]) => changed(document, at, () => unknownValue);

/** Many of them, or so few that most of the document is known. */
function somePlaces(document: Json): fc.Arbitrary<readonly Path[]> {
  const all = [...places(document)];
  return fc.oneof(fc.subarray(all), fc.subarray(all, { maxLength: 3 }));
}

/** `networks[0].vxlan.vni` */
function text(path: Path): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === "number") return `${before}[${step}]`;
    return before === "" ? step : `${before}.${step}`;
  }, "");
}

interface Shape {
  readonly type: "vxlan" | "vlan";
  readonly speaks: boolean;
  readonly overrides: boolean;
  readonly subnets: 1 | 2;
  readonly announcer: "none" | "short" | "long";
}

const shape: fc.Arbitrary<Shape> = fc.record({
  type: fc.constantFrom("vxlan", "vlan"),
  speaks: fc.boolean(),
  overrides: fc.boolean(),
  subnets: fc.constantFrom(1, 2),
  announcer: fc.constantFrom("none", "short", "long"),
});

/** The n-th network of a shape in two versions of which no value agrees; any mixture of them is valid, and fits the others. */
function network({ type, speaks, overrides, subnets, announcer }: Shape, n: number, version: 0 | 1): Json {
  const either = <One, Other>(first: One, second: Other): One | Other => (version === 0 ? first : second);
  const routing = (index: number) => ({
    cidr: either(`203.${n}.${index}.0/24`, `203.${n}.${index}.0/25`),
    gateway: either(`203.${n}.${index}.1`, `203.${n}.${index}.2`),
    ...(index === 0 && !overrides ? {} : { table: (version === 0 ? 5000 : 6000) + 10 * n + index }),
    ...(overrides ? { onlink: either(false, true), returnPath: either("source", "mark") } : {}),
    ...(announcer === "none"
      ? {}
      : { arpAnnouncer: announcer === "short" ? either(true, false) : { interval: either(30, 60) } }),
  });
  const bgp = {
    myAsn: either(65_001, 65_002),
    peerAsn: either(65_003, "65004"),
    peers: either([`10.0.7.${100 + n}`], [`10.0.7.${150 + n}`]),
    ...(overrides
      ? {
          holdTime: either(9, 90),
          passwordFile: either("/etc/bgp/one", "/etc/bgp/other"),
          ttlSecurity: either(1, 2),
          allowOwnAs: either(1, 2),
          bfd: either(true, { minTxInterval: 100, multiplier: 5, multihop: "on" }),
          listen: either("on", false),
          maxRoutes: either(1000, 2000),
          maxMacs: either(500, 600),
          sourceAddress: either("10.255.0.5", "10.255.0.0/24"),
          routeTarget: either("65001:1", "frr"),
          importRouteTargets: either(["65001:1"], ["65001:2"]),
          routeDistinguisher: either(`10.0.7.5:${n}`, `10.0.7.6:${n}`),
          routerId: either("10.0.7.5", "10.0.7.6"),
          gobgpPort: (version === 0 ? 31_000 : 32_000) + n,
        }
      : {}),
  };
  return {
    type,
    ...(overrides
      ? { name: either(`n${n}`, `m${n}`), nodeSelector: { rack: either("a", "b") }, segmentFilter: either("on", false) }
      : {}),
    ...(type === "vlan"
      ? {
          vlan: {
            parent: either("bond0", "bond1"),
            id: (version === 0 ? 100 : 200) + n,
            ...(overrides ? { mtu: either(1500, 9000) } : {}),
          },
        }
      : {
          vxlan: {
            vni: (version === 0 ? 1000 : 2000) + n,
            nodeNet: either("10.0.7.0/24", "10.0.6.0/23"),
            ...(speaks ? { bgp } : { remotes: either(["10.0.7.30"], ["10.0.7.31"]) }),
            ...(overrides
              ? { port: either(4789, 4790), mtu: either(1400, 1450), nodeInterface: either("eth0", "eth1") }
              : {}),
          },
        }),
    routing: subnets === 1 ? routing(0) : [routing(0), routing(1)],
  };
}

/** One configuration in two versions. */
const documents = fc
  .record({ shapes: fc.array(shape, { minLength: 1, maxLength: 3 }), cni: fc.boolean() })
  .map(({ shapes, cni }) => {
    const version = (number: 0 | 1): Json => ({
      ...(cni ? { cni: number === 0 ? "flannel" : "kube-ovn" } : {}),
      podNetworks: number === 0 ? ["10.244.0.0/16"] : ["10.96.0.0/16"],
      networks: shapes.map((drawn, n) => network(drawn, n + 1, number)),
    });
    return [version(0), version(1)] as const;
  });

const documentsAndPlaces = documents.chain(([one, other]) =>
  somePlaces(one).map((unknown) => ({ one, other, unknown })),
);

function networksOf(document: Json): readonly NamedNetwork[] {
  const result = parseConfiguration(document);
  assert.deepEqual(result.ok ? [] : result.mistakes, []);
  if (!result.ok) throw new Error("unreachable");
  return result.value.networks;
}

/** Everything that is worked out of a network's values. */
function numbersOf(network: NamedNetwork): Readonly<Record<string, unknown>> {
  const common = {
    name: network.name,
    interface: interfaceName(network),
    tables: network.routing.map((routing) => routingTable(network, routing)),
    commands: configurationCommands(network, ["10.244.0.0/16"]),
  };
  if (network.type === "vlan") return common;
  const { vxlan } = network;
  const { bgp, vni } = vxlan;
  const mac = vxlanMac("10.0.7.5", vni);
  if (bgp === undefined) return { ...common, mac };
  const targets = routeTargets(bgp, vni);
  return {
    ...common,
    mac,
    gobgpPort: gobgpPort(network),
    routeDistinguisher: routeDistinguisher(vxlan, "10.0.7.5"),
    exported: targets.export,
    imported: targets.import,
  };
}

describe("of a valid configuration, whatever is not known yet", () => {
  test("nothing is a mistake", () => {
    fc.assert(
      fc.property(documentsAndPlaces, ({ one, unknown }) => {
        networksOf(withUnknown(one, unknown));
      }),
      runs,
    );
  });

  test("no number is told that could still come out otherwise", () => {
    fc.assert(
      fc.property(documentsAndPlaces, ({ one, other, unknown }) => {
        const told = networksOf(withUnknown(one, unknown)).map(numbersOf);
        for (const document of [one, changed(one, unknown, (path) => valueAt(other, path))]) {
          const later = networksOf(document).map(numbersOf);
          for (const [index, numbers] of told.entries()) {
            for (const [key, value] of Object.entries(numbers)) {
              if (!hasUnknown(value)) assert.deepEqual(value, later[index]?.[key], key);
            }
          }
        }
      }),
      runs,
    );
  });

  test("all numbers are told where nothing is unknown", () => {
    fc.assert(
      fc.property(documents, ([one, other]) => {
        for (const network of [...networksOf(one), ...networksOf(other)]) assert.ok(!hasUnknown(numbersOf(network)));
      }),
      runs,
    );
  });
});

/** A network of values that are few, so that networks clash, and often wrong. */
const faultyNetwork: fc.Arbitrary<Json> = fc
  .record({
    type: fc.constantFrom("vxlan", "vlan"),
    segment: fc.constantFrom(0, 254, 300, 300, 301, "301"),
    cidr: fc.constantFrom(
      "203.0.113.0/24",
      "203.0.113.0/25",
      "203.0.113.5/24",
      "10.244.3.0/24",
      "2001:db8::/64",
      "all",
    ),
    gateway: fc.constantFrom("203.0.113.1", "203.0.113.0", "192.0.2.1", "fe80::1", "127.0.0.1", 7, undefined),
    returnPath: fc.constantFrom("auto", "source", "source", "back"),
    table: fc.option(fc.constantFrom(255, 300, 1300, -1), { nil: undefined }),
    nodeNet: fc.constantFrom("10.0.7.0/24", "10.0.7.9/24", "203.0.113.0/26", "2001:db8:7::/64"),
    peer: fc.constantFrom("10.0.7.19", "203.0.113.9", "10.0.7"),
    myAsn: fc.constantFrom(65_001, 65_002, 0, 4_200_000_000, "1.1", "x"),
    name: fc.option(fc.constantFrom("one", "two", "Three"), { nil: undefined }),
    more: fc.constantFrom({}, {}, { gatway: "203.0.113.1" }, { nodeSelector: { rack: "a" } }),
  })
  .map(({ type, segment, cidr, gateway, returnPath, table, nodeNet, peer, myAsn, name, more }) => ({
    type,
    ...(name === undefined ? {} : { name }),
    // Of its own: a change of one network must not reach another.
    ...structuredClone(more),
    ...(type === "vlan"
      ? { vlan: { parent: "bond0", id: segment } }
      : { vxlan: { vni: segment, nodeNet, bgp: { myAsn, peerAsn: 65_001, peers: [peer, "10.0.7.20"] } } }),
    routing: { cidr, gateway, returnPath, ...(table === undefined ? {} : { table }) },
  }));

const faultyDocuments = fc
  .array(faultyNetwork, { minLength: 1, maxLength: 4 })
  .map((networks): Json => ({ podNetworks: ["10.244.0.0/16"], networks }))
  .chain((document) => somePlaces(document).map((unknown) => ({ document, unknown })));

function mistakesOf(document: Json): readonly Mistake[] {
  const result = parseConfiguration(document);
  return result.ok ? [] : result.mistakes;
}

const placeAndCode = ({ path, code }: Mistake) => `${path} ${code}`;

/** What is wrong with one value, whatever stands beside it. */
const ownCodes: ReadonlySet<MistakeCode> = new Set([
  "HostBits",
  "InvalidAddress",
  "InvalidAsn",
  "InvalidName",
  "InvalidPrefix",
  "Missing",
  "NotOneOf",
  "OutOfRange",
  "ReservedAsn",
  "UnknownKey",
  "WrongType",
]);

/** The networks that a mistake is about: its own, and the one that it names. */
function networksIn({ path, message }: Mistake): readonly number[] {
  return [...`${path} ${message}`.matchAll(/networks\[(\d+)\]/g)].map(([, index]) => Number(index));
}

describe("of a wrong configuration", () => {
  test("no mistake stands at what is not known, and none shows the sentinel to people", () => {
    fc.assert(
      fc.property(faultyDocuments, ({ document, unknown }) => {
        const places = new Set(unknown.map(text));
        for (const { code, path, message, remedy } of mistakesOf(withUnknown(document, unknown))) {
          // A wrong key is wrong whatever its value.
          if (code !== "UnknownKey") assert.ok(!places.has(path), path);
          assert.ok(!`${message} ${remedy}`.includes(unknownValue), message);
        }
      }),
      runs,
    );
  });

  test("a mistake of one value is told as long as this value is known", () => {
    fc.assert(
      fc.property(faultyDocuments, ({ document, unknown }) => {
        const hidden = unknown.map(text);
        const isHidden = ({ path }: Mistake) =>
          hidden.some((place) => path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`));
        const expected = mistakesOf(document).filter(({ code }) => ownCodes.has(code));
        const told = new Set(mistakesOf(withUnknown(document, unknown)).map(placeAndCode));
        for (const mistake of expected)
          if (!isHidden(mistake)) assert.ok(told.has(placeAndCode(mistake)), placeAndCode(mistake));
      }),
      runs,
    );
  });

  test("a mistake is told as long as the networks that it is about are known", () => {
    fc.assert(
      fc.property(faultyDocuments, ({ document, unknown }) => {
        fc.pre(unknown.every(([first]) => first === "networks"));
        const touched = new Set(unknown.map(([, network]) => network));
        const told = new Set(mistakesOf(withUnknown(document, unknown)).map(placeAndCode));
        for (const mistake of mistakesOf(document)) {
          if (networksIn(mistake).some((network) => touched.has(network))) continue;
          assert.ok(told.has(placeAndCode(mistake)), placeAndCode(mistake));
        }
      }),
      runs,
    );
  });

  test("the documents hold mistakes of values, within networks and between them", () => {
    const codes = new Set(
      fc.sample(faultyDocuments, runs).flatMap(({ document }) => mistakesOf(document).map(({ code }) => code)),
    );
    const wanted: readonly MistakeCode[] = [
      ...ownCodes,
      "DuplicateSegment",
      "DuplicatePrefix",
      "DuplicateName",
      "GatewayOutsidePrefix",
      "OverlapsNodeNet",
      "OverlapsPodNetwork",
      "PeerInsidePublicPrefix",
      "SessionParametersDiffer",
      "TableClash",
    ];
    assert.deepEqual(
      wanted.filter((code) => !codes.has(code)),
      [],
    );
  });
});
