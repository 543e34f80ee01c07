import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  type ForeignInterface,
  foreignClashes,
  foreignObjects,
  type LinkFact,
  type NamedNetwork,
  nodeFacts,
  type ObservedLink,
  type ObservedRule,
  parseNetwork,
  parseNodeFacts,
  planNode,
  renderMistake,
  stateOfFacts,
} from "../../../model/index.js";
import { address } from "./samples.js";

const up = { mtu: 1500, up: true } as const;
const eth0: ObservedLink = { name: "eth0", ...up };
const flannel: ObservedLink = {
  name: "flannel.1",
  kind: "vxlan",
  ...up,
  vxlan: { vni: 1, port: 8472, local: "10.0.7.11", learning: false },
};
const cilium: ObservedLink = {
  name: "cilium_vxlan",
  kind: "vxlan",
  ...up,
  vxlan: { vni: 0, port: 8472, learning: true, external: true },
};
const tagged: ObservedLink = {
  name: "eth0.220",
  kind: "vlan",
  ...up,
  parent: "eth0",
  vlan: { id: 220 },
  master: "vmbr0",
};
const nothing = { networks: [], unplanned: [] };

function observed(links: readonly ObservedLink[], rules: readonly ObservedRule[] = []) {
  return nodeFacts({ links, rules, addresses: [], sysctls: {} }, "n1", {});
}

function rule(table: number, differs: Partial<ObservedRule> = {}): ObservedRule {
  return { family: 4, priority: 220, protocol: 0, action: { kind: "lookup", table }, plain: true, ...differs };
}

describe("what a node tells of other programs' objects", () => {
  test("tunnels, VLANs and names of our form, sorted; pods' interfaces and ours are left out", () => {
    const links: readonly ObservedLink[] = [
      tagged,
      flannel,
      { name: "lxc12345", kind: "veth", ...up },
      { name: "br228", kind: "bridge", ...up },
      {
        name: "vxlan300",
        kind: "vxlan",
        ...up,
        alias: "vlan-router:customers",
        vxlan: { vni: 300, port: 4789, learning: false },
      },
      cilium,
      eth0,
    ];
    assert.deepEqual(foreignObjects(observed(links), nothing), {
      interfaces: [
        { name: "br228", kind: "bridge" },
        { name: "cilium_vxlan", kind: "vxlan", vni: 0, port: 8472, external: true },
        { name: "eth0.220", kind: "vlan", parent: "eth0", vlanId: 220, master: "vmbr0" },
        { name: "flannel.1", kind: "vxlan", vni: 1, port: 8472 },
      ],
      omittedInterfaces: 0,
      tables: [],
    });
  });

  test("an interface of ours whose marks somebody took is still ours", () => {
    const facts = observed([eth0, { name: "vlan220", kind: "vlan", ...up, parent: "eth0", vlan: { id: 220 } }]);
    const plan = planNode(
      { podNetworks: [], networks: [vlan] },
      { ...facts, links: facts.links.filter(({ name }) => name === "eth0") },
    );
    assert.deepEqual(
      foreignObjects(facts, nothing).interfaces.map(({ name }) => name),
      ["vlan220"],
    );
    assert.deepEqual(foreignObjects(facts, plan).interfaces, []);
  });

  test("no more than an object holds, and how many more there are", () => {
    const links = Array.from({ length: 300 }, (_, id): LinkFact => ({ name: `vlan${1000 + id}`, ...up }));
    const { interfaces, omittedInterfaces } = foreignObjects({ ...observed([]), links }, nothing);
    assert.deepEqual([interfaces.length, interfaces.at(-1)?.name, omittedInterfaces], [256, "vlan1255", 44]);
  });

  test("tables of rules without a source, each once; the kernel's, ours and those by source are left out", () => {
    const rules = [
      rule(2004, { mark: { value: 0x200, mask: 0xf00 } }),
      rule(220),
      rule(220, { family: 6 }),
      rule(254, { protocol: 2 }),
      rule(228, { protocol: 118 }),
      rule(229, { from: "203.0.113.0/24" }),
    ];
    assert.deepEqual(foreignObjects(observed([], rules), nothing).tables, [220, 2004]);
  });
});

function network(source: object): NamedNetwork {
  const parsed = parseNetwork(source);
  assert.ok(parsed.ok);
  return parsed.value;
}

const routing = { cidr: "203.0.113.0/24", gateway: "203.0.113.1" };
const tunnel = { vni: 228, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.9"] };
const vxlan = network({ type: "vxlan", vxlan: tunnel, routing });
const vlan = network({ type: "vlan", vlan: { parent: "eth0", id: 220 }, routing });

test("facts with other programs' tunnels and tables are read back, and a plan on a desk meets them as a node does", () => {
  const facts = observed(
    [eth0, { ...flannel, vxlan: { vni: 228, port: 4789, learning: false } }, cilium],
    [rule(255, { priority: 0, protocol: 2 }), rule(220)],
  );
  assert.deepEqual(parseNodeFacts(JSON.stringify(facts)), { ok: true, value: facts, warnings: [] });
  const addresses = [address("eth0", "10.0.7.5", 24)];
  const onDesk = { ...facts, addresses };
  const { networks } = diffPlan(stateOfFacts(onDesk), planNode({ podNetworks: [], networks: [vxlan] }, onDesk));
  assert.deepEqual(
    networks.flatMap(({ conflicts }) => conflicts.map(({ reason }) => reason)),
    ["SegmentInUse"],
  );
});

describe("what a network meets on nodes", () => {
  const said = (spec: NamedNetwork, interfaces: readonly ForeignInterface[], tables: readonly number[] = []) =>
    foreignClashes(spec, [{ node: "n1", foreign: { interfaces, omittedInterfaces: 0, tables } }]).map(renderMistake);
  const device = { name: "vxlan.calico", kind: "vxlan", vni: 228, port: 4789 };

  test("the VNI on the same UDP port", () => {
    assert.deepEqual(said(vxlan, [device]), [
      "vxlan.vni: 228 on UDP port 4789 belongs to the interface vxlan.calico of n1, which another program has made; " +
        "remove vxlan.calico there, choose another VNI, or another vxlan.port on the peers too",
    ]);
    assert.deepEqual(
      said(vxlan, [
        { ...device, port: 8472 },
        { ...device, name: "vxlan.b", vni: 229 },
      ]),
      [],
    );
  });

  test("a port in metadata mode", () => {
    assert.deepEqual(said(vxlan, [{ name: "ovn0", kind: "vxlan", vni: 0, port: 4789, external: true }]), [
      "vxlan.port: 4789 is held by the interface ovn0 of n1, which takes every VNI of it; choose another vxlan.port, on the peers too",
    ]);
  });

  test("the name, whatever has it, once", () => {
    assert.deepEqual(said(vxlan, [{ ...device, name: "vxlan228" }]), [
      "vxlan.vni: 228 makes the interface vxlan228, which another program has made on n1; remove vxlan228 there, choose another " +
        "number, or keep the network off such nodes with nodeSelector",
    ]);
    const bridged = network({ type: "vxlan", vxlan: { ...tunnel, bridge: true }, routing });
    assert.equal(said(bridged, [{ name: "br228", kind: "bridge" }]).length, 1);
    assert.deepEqual(said(vxlan, [{ name: "br228", kind: "bridge" }]), []);
    assert.equal(said(vlan, [{ name: "vlan220" }]).length, 1);
  });

  test("a VLAN that stands is used, unless it is part of something", () => {
    const held = { name: "eth0.220", kind: "vlan", parent: "eth0", vlanId: 220 };
    assert.deepEqual(said(vlan, [held]), []);
    assert.deepEqual(said(vlan, [{ ...held, name: "vlan220" }]), []);
    assert.deepEqual(said(vlan, [{ ...held, master: "vmbr0" }]), [
      "vlan.id: 220 on eth0 is carried by the interface eth0.220 of n1, a port of vmbr0, where no route can use it; take eth0.220 " +
        "off vmbr0, or keep the network off such nodes with nodeSelector",
    ]);
    assert.deepEqual(said(vlan, [{ ...held, parent: "eth1", master: "vmbr0" }]), []);
  });

  test("the table of a rule, at the key that gives the number", () => {
    assert.deepEqual(said(vlan, [], [52, 220]), [
      "vlan.id: 220 is a routing table that another program's rule looks up on n1, for packets of any source; set routing.table to " +
        "another number, or remove that rule first",
    ]);
    const own = network({ ...vlan, routing: [{ ...routing, table: 52 }] });
    assert.deepEqual(
      foreignClashes(own, [{ node: "n1", foreign: { interfaces: [], omittedInterfaces: 0, tables: [52, 220] } }]).map(
        ({ path, value }) => [path, value],
      ),
      [["routing[0].table", 52]],
    );
  });

  test("the same on many nodes is one mistake, with a few of them", () => {
    const foreign = { interfaces: [device], omittedInterfaces: 0, tables: [] };
    const nodes = ["n7", "n1", "n2", "n3", "n4", "n5", "n6"].map((node) => ({ node, foreign }));
    assert.deepEqual(
      foreignClashes(vxlan, nodes).map(({ message }) => message),
      [
        "on UDP port 4789 belongs to the interface vxlan.calico of n1, n2, n3, n4, n5 and 2 more, which another program has made",
      ],
    );
  });
});
