import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import { customResourceDefinitions, parseConfiguration, parseNetwork, renderMistake } from "../../model/index.js";
import { TestNamespaces } from "../support/namespace.js";
import type { ApiResponse } from "./api-request.js";
import { BareApiServer } from "./bare-api-server.js";

/** What a real API server makes of the definitions and of objects, good and bad. No agent and no node is there. */

const group = "/apis/vlan-router.io/v1alpha1";
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const plurals = { PublicNetwork: "publicnetworks", RouterNode: "routernodes", VlanRouter: "vlanrouters" } as const;
const address = "10.0.7.10";

type Kind = keyof typeof plurals;
type Json = { readonly [key: string]: unknown };

interface ApiObject {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}

/** What the API server answers instead of an object. */
interface Status {
  readonly message: string;
  readonly details?: { readonly causes?: readonly Cause[] };
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

function object(kind: Kind, name: string, spec: unknown): ApiObject {
  return { apiVersion: "vlan-router.io/v1alpha1", kind, metadata: { name }, spec };
}

const network = (spec: unknown, name = "edge") => object("PublicNetwork", name, spec);
const router = (spec: unknown, name = "default") => object("VlanRouter", name, spec);
const routerNode = (spec: unknown) => object("RouterNode", "n1", spec);

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] };
const subnet = { cidr: "203.0.113.0/24", gateway: "203.0.113.1" };
const ipv6Subnet = { cidr: "2001:db8:1::/64", gateway: "fe80::1" };

const vxlan = (change: Json = {}, routing: Json = {}, spec: Json = {}) => ({
  type: "vxlan",
  vxlan: { vni: 228, nodeNet: "10.0.7.0/24", bgp, ...change },
  routing: [{ ...subnet, ...routing }],
  ...spec,
});

const vlan = (change: Json = {}, routing: Json = {}, spec: Json = {}) => ({
  type: "vlan",
  vlan: { parent: "bond0", id: 220, ...change },
  routing: [{ ...subnet, ...routing }],
  ...spec,
});

const withBgp = (change: Json) => vxlan({ bgp: { ...bgp, ...change } });
const selecting = (nodeSelector: Json) => vlan({}, {}, { nodeSelector });
const fourByteAsns = { myAsn: 4_200_000_001, peerAsn: 4_200_000_000 };

const hexadecimal = (index: number) => index.toString(16);
/** Every list as long as it may be: what the rules cost at run time is bounded too. */
const largest = {
  type: "vxlan",
  vxlan: {
    vni: 228,
    nodeNet: "2001:db8:7::/48",
    remotes: Array.from({ length: 1024 }, (_, index) => `2001:db8:7:${hexadecimal(index)}::1`),
  },
  nodeSelector: Object.fromEntries(
    Array.from({ length: 64 }, (_, index) => [`${"a".repeat(63)}.${"b".repeat(63)}/key-${index}`, "v".repeat(63)]),
  ),
  routing: Array.from({ length: 64 }, (_, index) => ({
    cidr: `2001:db8:1:${hexadecimal(index)}::/64`,
    gateway: `2001:db8:1:${hexadecimal(index)}:ffff:ffff:ffff:ffff`,
    table: 1000 + index,
  })),
};

const accepted: Readonly<Record<string, ApiObject>> = {
  "a VXLAN with BGP": network(vxlan()),
  "a VXLAN without BGP": network(vxlan({ bgp: undefined, remotes: ["10.0.7.6", "10.0.7.7"] })),
  "a VLAN": network(vlan()),
  "AS numbers of four bytes with an explicit target": network(withBgp({ ...fourByteAsns, routeTarget: "65001:228" })),
  "AS numbers of four bytes with FRR's target": network(withBgp({ ...fourByteAsns, routeTarget: "frr" })),
  "a peer's AS number of four bytes with import targets": network(
    withBgp({ peerAsn: 4_200_000_000, importRouteTargets: ["64512:228"] }),
  ),
  "the largest AS number": network(withBgp({ myAsn: 4_294_967_294, routeTarget: "4294967294:65535" })),
  "the largest target of a two-byte AS": network(withBgp({ routeTarget: "65535:4294967295" })),
  "a target with an address": network(withBgp({ routeTarget: "10.0.0.1:65535" })),
  "RFC 8365's target": network(withBgp({ routeTarget: "rfc8365" })),
  "a route distinguisher and a router id": network(
    withBgp({ routeDistinguisher: "10.0.7.5:228", routerId: "10.0.7.5" }),
  ),
  "a password file and TTL security": network(
    withBgp({ passwordFile: "/etc/vlan-router/bgp-passwords/fabric", ttlSecurity: 1 }),
  ),
  "our AS in the path": network(withBgp({ allowOwnAs: 10 })),
  BFD: network(withBgp({ bfd: { minTxInterval: 50, minRxInterval: 60_000, multiplier: 2, multihop: true } })),
  "limits of routes and MAC addresses": network(withBgp({ maxRoutes: 10_000_000, maxMacs: 1 })),
  "peers that may connect": network(withBgp({ listen: true })),
  "a source address": network(withBgp({ sourceAddress: "2001:DB8:ff::5", peers: ["2001:db8:7::19"] })),
  "a prefix of source addresses": network(withBgp({ sourceAddress: "10.255.0.0/24" })),
  "a gateway outside with onlink": network(vlan({}, { gateway: "192.0.2.1", onlink: true })),
  "an IPv6 subnet with a link-local router": network(vlan({}, { ...ipv6Subnet, cidr: "2001:DB8:1::/64" })),
  "the least MTU of IPv4": network(vxlan({ mtu: 576 })),
  "the least MTU of IPv6": network(vlan({ mtu: 1280 }, ipv6Subnet)),
  "both addresses of a /31": network(vlan({}, { cidr: "203.0.113.2/31", gateway: "203.0.113.2" })),
  "a reserved VNI with a table of its own": network(vxlan({ vni: 254 }, { table: 1254 })),
  "the largest table": network(vlan({}, { table: 4_294_967_295 })),
  "an interface of 15 characters": network(vlan({ parent: "enp130s0f0np0.4" })),
  "labels with and without a domain": network(selecting({ "topology.kubernetes.io/zone": "z1", edge: "" })),
  "the largest network": network(largest, "n".repeat(63)),
  "a network that replaces another": network(vlan({}, { replaces: "r".repeat(63) })),
  "a router": router({ podNetworks: ["10.244.0.0/16", "fd00:10:96::/112"], cni: "cilium" }),
  "a router without pods": router({ podNetworks: [] }),
  "a node": routerNode({ networks: [{ name: "edge", uid: "u-1", revision: "edge-0123456789" }] }),
};

const prefixMessage = "is not a prefix; write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64";
const hostBitsMessage = "has host bits; write the network's own address before the length, such as 203.0.113.0/24";
const addressMessage = "is not an IP address; write one address such as 10.0.7.19 or 2001:db8::19";
const targetMessage =
  "is not a route target; write ASN:NUMBER such as 65001:228 (beside an AS above 65535 the number ends at 65535)";
const interfaceMessage = "is not an interface name; write 1 to 15 characters without space, slash or colon";
const fourByteMessage =
  "is needed beside an AS number over 65535: write the fabric's own, such as 65001:228, or frr, " +
  "which keeps the last two bytes of the AS";
const mtuMessage = "is less than IPv6 runs on (RFC 8200 section 5); write 1280 or more, or leave the IPv6 subnet out";
const nameMessage = "is not a DNS label; write at most 63 lower-case letters, digits and inner hyphens";

const { vxlan: _vxlan, ...neither } = vxlan();

/** Each with the field that the answer names, and what it says about it. */
const refused: readonly (readonly [what: string, body: ApiObject, field: string, message: string])[] = [
  ["neither vxlan nor vlan", network(neither), "spec.vxlan", "belongs to type vxlan and is required there"],
  [
    "both vxlan and vlan",
    network({ ...vlan(), ...vxlan(), vlan: vlan().vlan }),
    "spec.vlan",
    "belongs to type vlan and is required there",
  ],
  ["no type", network({ ...vlan(), type: undefined }), "spec.type", "Required value"],
  ["another type", network({ ...vlan(), type: "geneve" }), "spec.type", 'supported values: "vxlan", "vlan"'],
  ["no subnet", network(vlan({}, {}, { routing: [] })), "spec.routing", "should have at least 1 items"],
  ["a subnet without a list", network(vlan({}, {}, { routing: subnet })), "spec.routing", "must be of type array"],
  ["no gateway", network(vlan({}, { gateway: undefined })), "spec.routing[0].gateway", "Required value"],
  ["VNI 0", network(vxlan({ vni: 0 })), "spec.vxlan.vni", "should be greater than or equal to 1"],
  ["a VNI of 25 bits", network(vxlan({ vni: 16_777_216 })), "spec.vxlan.vni", "less than or equal to 16777215"],
  ["a VNI in quotes", network(vxlan({ vni: "228" })), "spec.vxlan.vni", "must be of type integer"],
  ["VLAN id 0", network(vlan({ id: 0 })), "spec.vlan.id", "should be greater than or equal to 1"],
  ["VLAN id 4095", network(vlan({ id: 4095 })), "spec.vlan.id", "should be less than or equal to 4094"],
  [
    "a reserved table as VNI",
    network(vxlan({ vni: 254 })),
    "spec.vxlan.vni",
    "is a routing table of the kernel; set routing.table",
  ],
  [
    "a reserved table as VLAN id",
    network(vlan({ id: 253 })),
    "spec.vlan.id",
    "is a routing table of the kernel; set routing.table",
  ],
  [
    "a reserved table",
    network(vlan({}, { table: 255 })),
    "spec.routing[0].table",
    "is a routing table of the kernel; choose another number",
  ],
  ["a table of 33 bits", network(vlan({}, { table: 4_294_967_296 })), "spec.routing[0].table", "4294967295"],
  ["a prefix that is none", network(vlan({}, { cidr: "foo" })), "spec.routing[0].cidr", prefixMessage],
  ["an address as prefix", network(vlan({}, { cidr: "203.0.113.0" })), "spec.routing[0].cidr", prefixMessage],
  ["33 bits of 32", network(vlan({}, { cidr: "203.0.113.0/33" })), "spec.routing[0].cidr", prefixMessage],
  ["octal numbers", network(vlan({}, { cidr: "010.0.0.0/24" })), "spec.routing[0].cidr", prefixMessage],
  ["a second line", network(vlan({}, { cidr: "203.0.113.0/24\nlink" })), "spec.routing[0].cidr", prefixMessage],
  ["host bits", network(vlan({}, { cidr: "203.0.113.7/24" })), "spec.routing[0].cidr", hostBitsMessage],
  ["IPv6 host bits", network(vlan({}, { cidr: "2001:db8::1/64" })), "spec.routing[0].cidr", hostBitsMessage],
  ["host bits in nodeNet", network(vxlan({ nodeNet: "10.0.7.1/24" })), "spec.vxlan.nodeNet", hostBitsMessage],
  ["a gateway that is none", network(vlan({}, { gateway: "gw1" })), "spec.routing[0].gateway", addressMessage],
  ["a zone", network(vlan({}, { gateway: "fe80::1%eth0" })), "spec.routing[0].gateway", addressMessage],
  [
    "an IPv4-mapped gateway",
    network(vlan({}, { gateway: "::ffff:1.2.3.4" })),
    "spec.routing[0].gateway",
    addressMessage,
  ],
  [
    "a gateway outside",
    network(vlan({}, { gateway: "192.0.2.1" })),
    "spec.routing[0].gateway",
    "is not inside cidr; set onlink if the router is reachable on this segment",
  ],
  [
    "a gateway of the other family",
    network(vlan({}, { gateway: "fe80::1" })),
    "spec.routing[0].gateway",
    "is not of the family of cidr; write a gateway of the same family",
  ],
  [
    "another way back",
    network(vlan({}, { returnPath: "rule" })),
    "spec.routing[0].returnPath",
    'supported values: "auto", "source", "mark"',
  ],
  [
    "the short form of arpAnnouncer",
    network(vlan({}, { arpAnnouncer: true })),
    "spec.routing[0].arpAnnouncer",
    "must be of type object",
  ],
  [
    "a replaced network with a bad name",
    network(vlan({}, { replaces: "a.b" })),
    "spec.routing[0].replaces",
    nameMessage,
  ],
  [
    "neither bgp nor remotes",
    network(vxlan({ bgp: undefined })),
    "spec.vxlan",
    "without bgp there is nobody to flood to; write bgp, or remotes with the addresses of the other VTEPs",
  ],
  [
    "both bgp and remotes",
    network(vxlan({ remotes: ["10.0.7.6"] })),
    "spec.vxlan.remotes",
    "is not used beside bgp, which learns the other VTEPs from Type-3 routes; remove remotes or bgp",
  ],
  [
    "a remote that is no address",
    network(vxlan({ bgp: undefined, remotes: ["10.0.7.6", "n2"] })),
    "spec.vxlan.remotes[1]",
    addressMessage,
  ],
  ["no peers", network(withBgp({ peers: [] })), "spec.vxlan.bgp.peers", "should have at least 1 items"],
  ["a peer with a port", network(withBgp({ peers: ["10.0.7.19:179"] })), "spec.vxlan.bgp.peers[0]", addressMessage],
  ["AS 0", network(withBgp({ myAsn: 0 })), "spec.vxlan.bgp.myAsn", "should be greater than or equal to 1"],
  [
    "AS_TRANS",
    network(withBgp({ myAsn: 23_456 })),
    "spec.vxlan.bgp.myAsn",
    "is reserved; write the AS number that your fabric uses",
  ],
  ["AS 65535", network(withBgp({ peerAsn: 65_535 })), "spec.vxlan.bgp.peerAsn", "is reserved"],
  ["AS 4294967295", network(withBgp({ myAsn: 4_294_967_295 })), "spec.vxlan.bgp.myAsn", "equal to 4294967294"],
  ["AS numbers as texts", network(withBgp({ myAsn: "65001" })), "spec.vxlan.bgp.myAsn", "must be of type integer"],
  ["AS numbers of four bytes", network(withBgp(fourByteAsns)), "spec.vxlan.bgp.routeTarget", fourByteMessage],
  [
    "AS numbers of four bytes with RFC 8365's target",
    network(withBgp({ ...fourByteAsns, routeTarget: "rfc8365" })),
    "spec.vxlan.bgp.routeTarget",
    fourByteMessage,
  ],
  [
    "our AS number of four bytes with import targets only",
    network(withBgp({ ...fourByteAsns, importRouteTargets: ["65001:228"] })),
    "spec.vxlan.bgp.routeTarget",
    fourByteMessage,
  ],
  ...["auto", "65001", "65001:", ":228", "065001:1", "65001:-1", "65001:4294967296", "4294967296:1"].map(
    (routeTarget) =>
      [
        `route target ${routeTarget}`,
        network(withBgp({ routeTarget })),
        "spec.vxlan.bgp.routeTarget",
        `${targetMessage}, or rfc8365 or frr`,
      ] as const,
  ),
  ...["4200000000:65536", "10.0.0.1:65536", "10.0.0:1", "fe80::1:1", "1:2:3", "65001:1\n"].map(
    (routeTarget) =>
      [
        `route target ${JSON.stringify(routeTarget)}`,
        network(withBgp({ routeTarget })),
        "spec.vxlan.bgp.routeTarget",
        `${targetMessage}, or rfc8365 or frr`,
      ] as const,
  ),
  [
    "an automatic import target",
    network(withBgp({ importRouteTargets: ["65001:1", "frr"] })),
    "spec.vxlan.bgp.importRouteTargets[1]",
    targetMessage,
  ],
  [
    "a route distinguisher of an AS",
    network(withBgp({ routeDistinguisher: "65001:228" })),
    "spec.vxlan.bgp.routeDistinguisher",
    "is not a route distinguisher; write ADDRESS:NUMBER such as 10.0.7.5:228, the number at most 65535",
  ],
  ...["0.0.0.0", "fe80::1", "banana", "7"].map(
    (routerId) =>
      [
        `router id ${routerId}`,
        network(withBgp({ routerId })),
        "spec.vxlan.bgp.routerId",
        "is not a BGP identifier; write four decimal numbers such as 10.0.7.5",
      ] as const,
  ),
  ...["s3cret", "etc/bgp", "/etc/bgp/", "/etc/my key"].map(
    (passwordFile) =>
      [
        `password file ${passwordFile}`,
        network(withBgp({ passwordFile })),
        "spec.vxlan.bgp.passwordFile",
        "is not the path of a file; write the absolute path of a file that holds the password",
      ] as const,
  ),
  [
    "BFD faster than a process can keep up",
    network(withBgp({ bfd: { minTxInterval: 49 } })),
    "spec.vxlan.bgp.bfd.minTxInterval",
    "should be greater than or equal to 50",
  ],
  ...["lo", "10.255.0", "10.255.0.0/33"].map(
    (sourceAddress) =>
      [
        `source address ${sourceAddress}`,
        network(withBgp({ sourceAddress })),
        "spec.vxlan.bgp.sourceAddress",
        "is neither an address nor a prefix; write one such as 10.255.0.5 or 10.255.0.0/24",
      ] as const,
  ),
  [
    "a source prefix with host bits",
    network(withBgp({ sourceAddress: "10.255.0.5/24" })),
    "spec.vxlan.bgp.sourceAddress",
    "has host bits; write the network's own address before the length, such as 10.255.0.0/24",
  ],
  [
    "peers 0 hops away",
    network(withBgp({ ttlSecurity: 0 })),
    "spec.vxlan.bgp.ttlSecurity",
    "greater than or equal to 1",
  ],
  [
    "our AS in the path for ever",
    network(withBgp({ allowOwnAs: 11 })),
    "spec.vxlan.bgp.allowOwnAs",
    "less than or equal to 10",
  ],
  ["no route at all", network(withBgp({ maxRoutes: 0 })), "spec.vxlan.bgp.maxRoutes", "greater than or equal to 1"],
  ["no MAC address at all", network(withBgp({ maxMacs: 0 })), "spec.vxlan.bgp.maxMacs", "greater than or equal to 1"],
  ["a hold time of 2 s", network(withBgp({ holdTime: 2 })), "spec.vxlan.bgp.holdTime", "greater than or equal to 3"],
  ["an MTU under IPv4's", network(vxlan({ mtu: 575 })), "spec.vxlan.mtu", "greater than or equal to 576"],
  ["a VXLAN's MTU under IPv6's, with IPv6", network(vxlan({ mtu: 1279 }, ipv6Subnet)), "spec.vxlan.mtu", mtuMessage],
  ["a VLAN's MTU under IPv6's, with IPv6", network(vlan({ mtu: 1279 }, ipv6Subnet)), "spec.vlan.mtu", mtuMessage],
  ...["", "bond0/1", "bond 0", "bond0:1", "bond0\n", ".."].map(
    (parent) =>
      [`parent ${JSON.stringify(parent)}`, network(vlan({ parent })), "spec.vlan.parent", interfaceMessage] as const,
  ),
  ["a long parent", network(vlan({ parent: "enp130s0f0np0.40" })), "spec.vlan.parent", "more than 15"],
  ["a bad node interface", network(vxlan({ nodeInterface: "a/b" })), "spec.vxlan.nodeInterface", interfaceMessage],
  [
    "a bad label key",
    network(selecting({ "rack a": "a" })),
    "spec.nodeSelector",
    "has a key that no node label can have",
  ],
  [
    "a bad label value",
    network(selecting({ rack: "a b" })),
    "spec.nodeSelector[rack]",
    "is a value that no node label can have",
  ],
  ["a label that YAML made a boolean of", network(selecting({ rack: true })), "spec.nodeSelector.rack", "type string"],
  ["a name with a dot", network(vlan(), "edge.one"), "metadata.name", nameMessage],
  ["a name of 64 characters", network(vlan(), "n".repeat(64)), "metadata.name", "more than 63"],
  ["a second router", router({ podNetworks: [] }, "other"), "metadata.name", 'supported values: "default"'],
  ["a router without podNetworks", router({}), "spec.podNetworks", "Required value"],
  ["pod networks with host bits", router({ podNetworks: ["10.244.0.1/16"] }), "spec.podNetworks[0]", hostBitsMessage],
  ["an unknown CNI", router({ podNetworks: [], cni: "weave" }), "spec.cni", "supported values"],
  [
    "the same network twice on a node",
    routerNode({ networks: ["r-1", "r-2"].map((revision) => ({ name: "edge", uid: "u-1", revision })) }),
    "spec.networks[1]",
    "Duplicate value",
  ],
  [
    "a revision without uid",
    routerNode({ networks: [{ name: "edge", revision: "r" }] }),
    "spec.networks[0].uid",
    "Required",
  ],
];

describe("the API server", () => {
  const definitions = customResourceDefinitions();
  const answers = new Map<string, ApiResponse>();
  let net: TestNamespaces;
  let api: BareApiServer;

  const create = (body: ApiObject, query = "") =>
    api.request({ method: "POST", path: `${group}/${plurals[body.kind]}${query}`, body });
  const change = (kind: Kind, name: string, body: unknown) =>
    api.request({
      method: "PATCH",
      path: `${group}/${plurals[kind]}/${name}`,
      contentType: "application/merge-patch+json",
      body,
    });
  const apply = (body: ApiObject) =>
    api.request({
      method: "PATCH",
      path: `${group}/${plurals[body.kind]}/${body.metadata.name}?fieldManager=test&fieldValidation=Strict`,
      contentType: "application/apply-patch+yaml",
      body,
    });

  /** That the answer is a refusal which names the field and says this about it. */
  function assertRefused({ status, body }: ApiResponse, field: string, message: string): void {
    assert.equal(status, 422, JSON.stringify(body));
    const causes = (body as Status).details?.causes ?? [];
    const named = causes.filter((cause) => cause.field === field);
    assert.ok(
      named.some((cause) => cause.message.includes(message)),
      `no cause at ${field} says "${message}": ${JSON.stringify(causes)}`,
    );
  }

  before(async () => {
    net = await TestNamespaces.start(["cp"]);
    await net.ip("cp", `address add ${address}/32 dev lo`);
    api = await BareApiServer.start(net, "cp", address);
    for (const body of definitions) {
      answers.set(body.metadata.name, await api.request({ method: "POST", path: definitionsPath, body }));
    }
    await waitFor(
      "the kinds to be served",
      async () => {
        const lists = await Promise.all(
          Object.values(plurals).map((plural) => api.request({ path: `${group}/${plural}` })),
        );
        return lists.every(({ status }) => status === 200);
      },
      { timeout: 30_000, interval: 100 },
    );
  });
  after(async () => {
    await net.end();
    await api.end();
  });

  for (const { metadata } of definitions) {
    test(`accepts ${metadata.name} at the price of its rules, and serves it`, async () => {
      const { status, body } = answers.get(metadata.name) ?? { status: 0, body: undefined };
      assert.equal(status, 201, JSON.stringify(body));
      const definition = await api.do<{ status: { conditions: readonly { type: string; status: string }[] } }>({
        path: `${definitionsPath}/${metadata.name}`,
      });
      const conditions = Object.fromEntries(definition.status.conditions.map(({ type, status }) => [type, status]));
      // NonStructuralSchema would stand here too.
      assert.deepEqual(conditions, { NamesAccepted: "True", Established: "True" });
    });
  }

  describe("accepts", () => {
    for (const [what, body] of Object.entries(accepted)) {
      test(what, async () => {
        const answer = await create(body, "?dryRun=All&fieldValidation=Strict");
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
      });
    }
  });

  describe("refuses", () => {
    for (const [what, body, field, message] of refused) {
      test(`${what}: ${field}`, async () => {
        assertRefused(await create(body, "?dryRun=All"), field, message);
      });
    }
  });

  // What the program has checked must not fail at the cluster, after other resources have been made.
  test("takes what the parser takes, and the parser refuses what it refuses", () => {
    const parsed = ({ kind, metadata: { name }, spec }: ApiObject) =>
      kind === "PublicNetwork" ? parseNetwork(spec, { name }) : parseConfiguration({ ...(spec as Json), networks: [] });
    /** Forms that only people may write; the parser brings them into the normal form. */
    const written = new Set(["a subnet without a list", "the short form of arpAnnouncer", "AS numbers as texts"]);
    const ofPeople = ({ kind }: ApiObject) => kind !== "RouterNode";
    for (const [what, body] of Object.entries(accepted)) {
      const result = ofPeople(body) ? parsed(body) : { ok: true as const };
      assert.ok(result.ok, `${what}: ${result.ok ? "" : result.mistakes.slice(0, 3).map(renderMistake).join("; ")}`);
    }
    for (const [what, body, field] of refused) {
      if (ofPeople(body) && !(body.kind === "VlanRouter" && field === "metadata.name")) {
        assert.equal(parsed(body).ok, written.has(what), what);
      }
    }
  });

  test("fills in the defaults of the normal form", async () => {
    const { body } = await create(network(vxlan()), "?dryRun=All");
    assert.deepEqual((body as ApiObject).spec, {
      type: "vxlan",
      vxlan: {
        vni: 228,
        nodeNet: "10.0.7.0/24",
        port: 4789,
        bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"], holdTime: 30 },
      },
      routing: [
        {
          cidr: "203.0.113.0/24",
          gateway: "203.0.113.1",
          onlink: false,
          returnPath: "auto",
          arpAnnouncer: { enabled: false, interval: 60 },
        },
      ],
    });
  });

  describe("an unknown key", () => {
    const typo = network(vxlan({ vnii: 5 }), "typo");

    test("fails server-side apply", async () => {
      const { status, body } = await apply(typo);
      assert.ok(status >= 400, `${status}`);
      assert.match((body as Status).message, /\.spec\.vxlan\.vnii: field not declared in schema/);
    });

    test("fails a strict create, which is kubectl's", async () => {
      const { status, body } = await create(typo, "?fieldValidation=Strict");
      assert.equal(status, 400);
      assert.match((body as Status).message, /unknown field "spec\.vxlan\.vnii"/);
    });

    test("is pruned from a plain create", async () => {
      const { status, body } = await create(typo, "?dryRun=All");
      assert.equal(status, 201);
      assert.equal("vnii" in (body as { spec: { vxlan: object } }).spec.vxlan, false);
    });

    test("leaves no object behind", async () => {
      assert.equal((await api.request({ path: `${group}/publicnetworks/typo` })).status, 404);
    });
  });

  test("server-side apply takes AS numbers of four bytes as they are", async () => {
    const { status, body } = await apply(network(withBgp({ ...fourByteAsns, routeTarget: "65001:228" }), "long-asn"));
    assert.equal(status, 201, JSON.stringify(body));
    const { myAsn, peerAsn } = (body as { spec: { vxlan: { bgp: Json } } }).spec.vxlan.bgp;
    assert.deepEqual([myAsn, peerAsn], [4_200_000_001, 4_200_000_000]);
  });

  describe("a network that stands", () => {
    before(async () => {
      for (const body of [network(vxlan(), "a-vxlan"), network(vlan(), "a-vlan")]) {
        assert.equal((await create(body)).status, 201);
      }
    });

    const unchanging = "cannot change; delete the network and create another one";

    test("keeps its VNI", async () => {
      const answer = await change("PublicNetwork", "a-vxlan", { spec: { vxlan: { vni: 229 } } });
      assertRefused(answer, "spec.vxlan.vni", unchanging);
    });

    test("keeps its VLAN id", async () => {
      assertRefused(
        await change("PublicNetwork", "a-vlan", { spec: { vlan: { id: 221 } } }),
        "spec.vlan.id",
        unchanging,
      );
    });

    test("keeps its type", async () => {
      const answer = await change("PublicNetwork", "a-vlan", { spec: { ...vxlan(), vlan: null } });
      assertRefused(answer, "spec.type", unchanging);
    });

    test("may change everything else", async () => {
      const spec = {
        vxlan: { nodeNet: "10.0.8.0/24" },
        routing: [{ cidr: "198.51.100.0/24", gateway: "198.51.100.1" }],
      };
      const answer = await change("PublicNetwork", "a-vxlan", { spec });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    });
  });

  describe("kubectl get shows", () => {
    interface Table {
      readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
      readonly rows: readonly { readonly cells: readonly unknown[] }[];
    }

    /** Cells by the name of their column, without those that only `-o wide` shows. */
    async function row(kind: Kind, name: string): Promise<Json> {
      const { columnDefinitions, rows } = await api.do<Table>({
        path: `${group}/${plurals[kind]}/${name}`,
        accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
      });
      const cells = columnDefinitions.flatMap(({ name: column, priority }, index) =>
        priority > 0 || column === "Age" ? [] : [[column, rows[0]?.cells[index]] as const],
      );
      return Object.fromEntries(cells);
    }

    test("of a network its type, number, prefix and gateway", async () => {
      await create(network(vxlan(), "shown-vxlan"));
      await create(network(vlan(), "shown-vlan"));
      const prefix = { CIDR: "203.0.113.0/24", Gateway: "203.0.113.1" };
      assert.deepEqual(await row("PublicNetwork", "shown-vxlan"), {
        Name: "shown-vxlan",
        Type: "vxlan",
        VNI: 228,
        VLAN: null,
        ...prefix,
      });
      assert.deepEqual(await row("PublicNetwork", "shown-vlan"), {
        Name: "shown-vlan",
        Type: "vlan",
        VNI: null,
        VLAN: 220,
        ...prefix,
      });
    });

    test("of a router the CNI and the pod networks", async () => {
      await create(router({ podNetworks: ["10.244.0.0/16", "10.96.0.0/16"], cni: "cilium" }));
      assert.deepEqual(await row("VlanRouter", "default"), {
        Name: "default",
        CNI: "cilium",
        "Pod networks": '["10.244.0.0/16","10.96.0.0/16"]',
      });
    });

    test("of a node the agent's version and last sign", async () => {
      await create(routerNode({ networks: [] }));
      const heartbeatTime = new Date(Date.now() - 3 * 3_600_000).toISOString();
      const status = { agent: { version: "0.1.0", image: "agent:0.1.0" }, heartbeatTime, networks: [] };
      const answer = await api.request({
        method: "PATCH",
        path: `${group}/routernodes/n1/status`,
        contentType: "application/merge-patch+json",
        body: { status },
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(await row("RouterNode", "n1"), { Name: "n1", Version: "0.1.0", Heartbeat: "3h" });
    });
  });

  test("serves the descriptions that kubectl explain shows", async () => {
    const { components } = await api.do<{ components: { schemas: Record<string, Schema> } }>({
      path: "/openapi/v3/apis/vlan-router.io/v1alpha1",
    });
    const at = (kind: Kind, ...place: readonly string[]) =>
      place.reduce(
        (schema, step) => (step === "[]" ? schema?.items : schema?.properties?.[step]),
        components.schemas[`io.vlan-router.v1alpha1.${kind}`],
      )?.description;
    assert.equal(
      at("PublicNetwork", "spec", "routing", "[]", "cidr"),
      "The public prefix, without host bits, such as 203.0.113.0/24.",
    );
    assert.equal(at("RouterNode", "status", "heartbeatTime"), "When the agent last gave a sign of life.");
    assert.equal(at("VlanRouter", "spec"), "What all networks of the cluster share.");
  });
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
