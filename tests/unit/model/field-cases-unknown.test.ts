import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  checkNetworks,
  configurationCommands,
  gobgpPort,
  parseConfiguration,
  parseNetwork,
  renderMistake,
  unknownValue,
} from "../../../model/index.js";
import { document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

type Path = readonly (string | number)[];
type Container = Record<string | number, unknown>;

/** Every place of a document below its root, but for `type`, which decides what else may stand there. */
function placesOf(value: unknown, path: Path = []): readonly Path[] {
  if (value === undefined) return [];
  const here = path.length === 0 || path.at(-1) === "type" ? [] : [path];
  if (typeof value !== "object" || value === null) return here;
  // A list of networks is made by the program itself, network by network.
  const isNetwork = path.length === 1 && path[0] === "networks";
  const isItem = path.length === 2 && path[0] === "networks";
  const inside = Object.entries(value).flatMap(([key, nested]) =>
    placesOf(nested, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return isNetwork || isItem ? inside : [...here, ...inside];
}

/** The document with the engine's sentinel at these places. */
function withUnknowns(document: unknown, places: readonly Path[]): unknown {
  const copy = structuredClone(document);
  for (const path of places) {
    const owner = path.slice(0, -1).reduce<unknown>((value, step) => (value as Container | undefined)?.[step], copy);
    // A place inside of what is unknown already is gone.
    if (typeof owner === "object" && owner !== null) (owner as Container)[path.at(-1) ?? ""] = unknownValue;
  }
  return copy;
}

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };

const right = document(
  vxlanNetwork({ port: 4789, mtu: 1400, nodeInterface: "eth0" }, {}, { name: "one", nodeSelector: { rack: "a" } }),
  vxlanNetwork(
    {
      vni: 229,
      bgp: { ...bgp, holdTime: 30, routeTarget: "65001:229", importRouteTargets: ["65001:1"], gobgpPort: 21_000 },
    },
    { cidr: "192.0.2.0/24", gateway: "192.0.2.1", table: 1229, onlink: false, returnPath: "mark" },
    { name: "two", segmentFilter: false },
  ),
  vxlanNetwork(
    { vni: 230, bgp: undefined, remotes: ["10.0.7.6"] },
    { cidr: "10.9.0.0/24", gateway: "10.9.0.1" },
    { name: "three" },
  ),
  vlanNetwork(
    {},
    {},
    {
      name: "four",
      routing: [
        { cidr: "198.51.100.0/24", gateway: "198.51.100.1", arpAnnouncer: { enabled: true, interval: 30 } },
        { cidr: "2001:db8:1::/64", gateway: "fe80::1" },
      ],
    },
  ),
);

/** One mistake of most kinds, in networks that can be told apart. */
const wrong = document(
  vxlanNetwork(
    {
      vni: 254,
      nodeNet: "10.0.7.5/24",
      mtu: 100,
      bgp: { ...bgp, peers: ["203.0.113.9", "10.0.7.19", "10.0.7.19"], holdTime: 0 },
    },
    { gateway: "192.0.2.1", arpAnnouncer: { interval: 0 } },
    { name: "one", bogus: 1 },
  ),
  vxlanNetwork(
    { vni: 229, bgp: { ...bgp, myAsn: 4_200_000_000 } },
    { cidr: "10.244.3.0/24", gateway: "fe80::1" },
    { name: "one" },
  ),
  vlanNetwork(
    { parent: "a/b", id: 5000 },
    { cidr: "203.0.113.0/24", gateway: "203.0.113.0", table: 229 },
    { name: "Four" },
  ),
);

const known = (value: object): readonly Path[] => placesOf(value);
const found = (value: unknown): readonly string[] => {
  const result = parseConfiguration(value);
  return result.ok ? [] : result.mistakes.map(({ code, path }) => `${path} ${code}`);
};

describe("F2: values that are not known yet", () => {
  test("a cidr from another resource passes in preview, and is judged when it is known", () => {
    const network = (cidr: string) => vlanNetwork({}, { cidr, gateway: "198.51.100.1" });
    const at = (cidr: string) => {
      const result = parseNetwork(network(cidr), { podNetworks: ["10.244.0.0/16"] });
      return result.ok ? [] : result.mistakes.map(renderMistake);
    };
    assert.deepEqual(at(unknownValue), []);
    assert.deepEqual(at("198.51.100.0/24"), []);
    assert.deepEqual(at("198.51.100.7/24"), [
      "routing.cidr: 198.51.100.7/24 has host bits; did you mean 198.51.100.0/24?",
    ]);
    assert.deepEqual(at("192.0.2.0/24"), [
      "routing.gateway: 198.51.100.1 is not inside 192.0.2.0/24; set routing.onlink if the router is reachable on this segment",
    ]);
  });

  test("a warning speaks of no value that is not known", () => {
    const warnings = (change: object) =>
      parseConfiguration(document(vxlanNetwork({ bgp: { ...bgp, ...change } }))).warnings.map(({ code }) => code);
    assert.deepEqual(warnings({ routerId: unknownValue }), []);
    assert.deepEqual(warnings({ routerId: "10.0.0.1" }), ["SharedRouterId"]);
    assert.deepEqual(parseConfiguration(document(vxlanNetwork({ bgp: unknownValue }))).warnings, []);
  });

  test("what is known is checked in the same preview, with the same messages", () => {
    const networks = [
      vxlanNetwork({ vni: 254 }, { cidr: unknownValue }),
      vlanNetwork({ id: 220 }, { cidr: unknownValue, gateway: "127.0.0.1", table: 255 }),
    ];
    assert.deepEqual(mistakesOf(document(...networks)), [
      "networks[1].routing.table: 255 is the kernel's local routing table; choose another number, such as 1000 + it",
      "networks[0].vxlan.vni: 254 is the kernel's main routing table; set routing.table",
      "networks[1].routing.gateway: 127.0.0.1 lies in 127.0.0.0/8 (loopback, RFC 1122), where no router can be; write the provider's router on the segment",
    ]);
  });

  test("a right configuration stays right, whatever of it is unknown, and nothing throws", () => {
    assert.deepEqual(found(right), []);
    fc.assert(
      fc.property(fc.subarray([...known(right)]), (places) => {
        const result = parseConfiguration(withUnknowns(right, places));
        assert.deepEqual(result.ok ? [] : result.mistakes.map(renderMistake), []);
        assert.doesNotMatch(result.warnings.map(renderMistake).join("\n"), new RegExp(unknownValue));
        if (!result.ok) return;
        assert.deepEqual(checkNetworks(result.value.networks, result.value), []);
        for (const network of result.value.networks) {
          configurationCommands(network, result.value.podNetworks);
          if (network.type === "vxlan") gobgpPort(network);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("of a wrong one only mistakes vanish that need what is unknown: none is invented", () => {
    const all = new Set(found(wrong));
    assert.equal(all.size, 20);
    fc.assert(
      fc.property(fc.subarray([...known(wrong)], { maxLength: 6 }), (places) => {
        for (const mistake of found(withUnknowns(wrong, places))) assert.ok(all.has(mistake), mistake);
      }),
      { numRuns: 400 },
    );
  });

  test("each place of a wrong one alone hides nothing of the other networks' own values", () => {
    for (const place of known(wrong)) {
      const [, network] = place;
      const own = (mistake: string) =>
        !mistake.startsWith(`networks[${network}]`) && /OutOfRange|HostBits|UnknownKey|InvalidName/.test(mistake);
      if (typeof network !== "number") continue;
      assert.deepEqual(found(withUnknowns(wrong, [place])).filter(own), found(wrong).filter(own), place.join("."));
    }
  });
});
