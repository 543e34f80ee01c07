import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersion, type NetworkSpec, type PublicNetworkObject } from "../../../model/index.js";
import { foreignFields } from "../../../provider/foreign-fields.js";
import { replacedProperties } from "../../../provider/network-state/replacement.js";
import { foreignObject } from "../../../provider/object-owner.js";
import { normal } from "../../support/network-fixtures.js";

const mine = "infra/prod urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::customers";

function owned(owner?: string): PublicNetworkObject {
  const annotations = owner === undefined ? {} : { "vlan-router.io/owner": owner };
  return { apiVersion, kind: "PublicNetwork", metadata: { name: "customers", annotations }, spec: normal };
}

test("an object of this very resource is ours", () => {
  assert.equal(foreignObject(owned(mine), mine), undefined);
});

test("an object of another stack is refused by the name of that stack", () => {
  const theirs = "other/prod urn:pulumi:prod::other::vlan-router:index:PublicNetwork::customers";
  for (const held of [undefined, { owner: mine }]) {
    assert.match(
      foreignObject(owned(theirs), mine, held) ?? "",
      /^PublicNetwork customers belongs to stack other\/prod \(urn:/,
    );
  }
});

test("an object that somebody made by hand is refused, also where it has replaced ours; ours without its annotation is ours", () => {
  const object = owned();
  const withUid = { ...object, metadata: { ...object.metadata, uid: "uid-1" } };
  for (const held of [undefined, { owner: mine, uid: "uid-2" }]) {
    assert.match(foreignObject(withUid, mine, held) ?? "", /no Pulumi stack owns it/);
  }
  for (const held of [{ owner: mine, uid: "uid-1" }, { owner: mine }]) {
    assert.equal(foreignObject(withUid, mine, held), undefined);
  }
});

test("another resource of the same stack is refused for a new resource, and fine after a rename with an alias", () => {
  const before = "infra/prod urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::old-name";
  assert.equal(
    foreignObject(owned(before), mine),
    "PublicNetwork customers already belongs to urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::old-name of this stack; " +
      "if it is the same network under another logical name or parent, give it the option " +
      'aliases: ["urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::old-name"], or its old name and parent again; ' +
      "if the program declares both, give them different names; " +
      "if the state has no such resource any more (retainOnDelete, pulumi state delete), set adopt: true",
  );
  assert.equal(foreignObject(owned(before), mine, { owner: before }), undefined);
});

test("an object that this very resource wrote is ours under another name of its stack or project, unless it is another object", () => {
  for (const before of [mine.replaceAll("prod", "production"), mine.replaceAll("infra", "platform")]) {
    const object = owned(before);
    const withUid = { ...object, metadata: { ...object.metadata, uid: "uid-1" } };
    for (const held of [{ owner: before, uid: "uid-1" }, { owner: before }]) {
      assert.equal(foreignObject(withUid, mine, held), undefined);
    }
    for (const held of [undefined, { owner: mine, uid: "uid-1" }, { owner: before, uid: "uid-2" }]) {
      assert.match(foreignObject(withUid, mine, held) ?? "", /belongs to stack/);
    }
  }
});

test("an object that holds what was applied, in whatever order of keys, is not foreign", () => {
  const reversed = Object.fromEntries(Object.entries(normal).reverse()) as unknown as NetworkSpec;
  assert.equal(foreignFields({ ...owned(mine), spec: reversed }, normal), undefined);
});

test("a field that somebody added, which server-side apply leaves in silence, is named with its writer", () => {
  const vxlan = normal.type === "vxlan" ? { ...normal.vxlan, mtu: 1400 } : undefined;
  const spec = { ...normal, vxlan } as NetworkSpec;
  const metadata = {
    name: "customers",
    managedFields: [
      { manager: "pulumi-vlan-router", fieldsV1: { "f:spec": {} } },
      { manager: "kubectl-patch", fieldsV1: { "f:spec": { "f:vxlan": { "f:mtu": {} } } } },
      { manager: "agent", fieldsV1: { "f:metadata": {} } },
    ],
  };
  assert.match(
    foreignFields({ ...owned(mine), metadata, spec }, normal) ?? "",
    /^PublicNetwork customers differs from the program in spec\.vxlan\.mtu \(other writers of the object: kubectl-patch\), and what no refresh has shown is not removed: "pulumi up --refresh" shows/,
  );
});

const identity = { name: "customers", spec: normal };
const vlan: NetworkSpec = { type: "vlan", vlan: { parent: "bond0", id: 228 }, routing: normal.routing };
const otherVni: NetworkSpec = normal.type === "vxlan" ? { ...normal, vxlan: { ...normal.vxlan, vni: 229 } } : normal;

const changes: readonly (readonly [string, Partial<typeof identity>, readonly string[]])[] = [
  ["nothing", {}, []],
  ["a gateway", { spec: { ...normal, routing: [] } }, []],
  ["the name", { name: "tenants" }, ["name"]],
  ["the VNI", { spec: otherVni }, ["spec"]],
  ["the kind, with the same number", { spec: vlan }, ["spec"]],
];

for (const [what, change, replaced] of changes) {
  test(`a change of ${what} replaces ${replaced.length === 0 ? "nothing" : replaced.join()}`, () => {
    assert.deepEqual(replacedProperties(identity, { ...identity, ...change }), replaced);
  });
}
