import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  customResourceDefinitions,
  type NetworkRevisionData,
  networkRevision,
  revisionName,
} from "../../../model/index.js";
import { configurationOf, document, vlanNetwork } from "./samples.js";

type Schema = { readonly [key: string]: unknown };

/** The schema object at a place given as property names, `[]` for the items of a list. */
function schemaAt(kind: string, ...place: readonly string[]): Schema {
  const definition = customResourceDefinitions().find(({ spec }) => (spec as { names: Schema }).names.kind === kind);
  if (definition === undefined) throw new Error(`no definition of ${kind}`);
  const [version] = (definition.spec as { versions: readonly [{ schema: { openAPIV3Schema: Schema } }] }).versions;
  return place.reduce<Schema>(
    (schema, step) => (step === "[]" ? schema.items : (schema.properties as Schema)[step]) as Schema,
    version.schema.openAPIV3Schema,
  );
}

/** Every schema object of every kind by its place; `[]` are the items of a list, `{}` the values of a mapping. */
function allSchemas(): readonly (readonly [place: string, schema: Schema])[] {
  const walk = (schema: Schema, place: string): readonly (readonly [string, Schema])[] => [
    [place, schema],
    ...Object.entries((schema.properties as Schema | undefined) ?? {}).flatMap(([key, nested]) =>
      walk(nested as Schema, `${place}.${key}`),
    ),
    ...(schema.items === undefined ? [] : walk(schema.items as Schema, `${place}[]`)),
    ...(schema.additionalProperties === undefined ? [] : walk(schema.additionalProperties as Schema, `${place}{}`)),
  ];
  return ["PublicNetwork", "RouterNode", "VlanRouter"].flatMap((kind) => walk(schemaAt(kind), kind));
}

function rulesOf(schema: Schema): readonly unknown[] {
  return (schema["x-kubernetes-validations"] as readonly unknown[] | undefined) ?? [];
}

describe("CustomResourceDefinitions", () => {
  test("three cluster-scoped kinds, sorted", () => {
    assert.deepEqual(
      customResourceDefinitions().map(({ metadata, spec }) => [metadata.name, (spec as { scope: string }).scope]),
      [
        ["publicnetworks.vlan-router.io", "Cluster"],
        ["routernodes.vlan-router.io", "Cluster"],
        ["vlanrouters.vlan-router.io", "Cluster"],
      ],
    );
  });

  test("the union is one flat object", () => {
    const spec = schemaAt("PublicNetwork", "spec");
    assert.deepEqual(spec.required, ["type", "routing"]);
    assert.deepEqual(Object.keys(spec.properties as object).sort(), [
      "nodeSelector",
      "routing",
      "segmentFilter",
      "type",
      "vlan",
      "vxlan",
    ]);
    assert.deepEqual(schemaAt("PublicNetwork", "spec", "type").enum, ["vxlan", "vlan"]);
  });

  test("limits and defaults are those of the configuration", () => {
    const bounds = (...place: readonly string[]) => {
      const { type, minimum, maximum } = schemaAt("PublicNetwork", "spec", ...place);
      return { type, minimum, maximum };
    };
    assert.deepEqual(bounds("vxlan", "vni"), { type: "integer", minimum: 1, maximum: 16_777_215 });
    assert.deepEqual(bounds("vlan", "id"), { type: "integer", minimum: 1, maximum: 4094 });
    assert.equal(schemaAt("PublicNetwork", "spec", "vxlan", "port").default, 4789);
    assert.equal(schemaAt("PublicNetwork", "spec", "vxlan", "bgp", "myAsn").format, "int64");
    assert.equal(schemaAt("PublicNetwork", "spec", "vxlan", "bgp", "myAsn").maximum, 4_294_967_294);
    assert.deepEqual(schemaAt("PublicNetwork", "spec", "routing", "[]", "arpAnnouncer").default, {
      enabled: false,
      interval: 60,
    });
  });

  // https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
  test("are structural: a type everywhere, and nothing that only JSON Schema has", () => {
    const refused = ["$schema", "$ref", "const", "oneOf", "anyOf", "allOf", "not", "propertyNames", "definitions"];
    for (const [place, schema] of allSchemas()) {
      assert.equal(typeof schema.type, "string", `${place} has no type`);
      for (const key of refused) assert.equal(key in schema, false, `${place} has ${key}`);
      assert.notEqual(schema.additionalProperties, false, place);
    }
  });

  test("say of every field what it means", () => {
    const mute = allSchemas().filter(
      ([place, { description }]) => !/(\[]|\{}|\.metadata(\.name)?)$/.test(place) && typeof description !== "string",
    );
    assert.deepEqual(
      mute.map(([place]) => place),
      [],
    );
  });

  // Without a bound the API server takes the longest text that fits into a request, and refuses the definition.
  test("bound every text that a rule reads, and leave no text of a network without a rule", () => {
    const ruled = allSchemas().filter(([, schema]) => schema.type === "string" && rulesOf(schema).length > 0);
    for (const [place, { maxLength, enum: choices }] of ruled) {
      assert.ok(maxLength !== undefined || choices !== undefined, place);
    }
    assert.deepEqual(ruled.map(([place]) => place).sort(), [
      "PublicNetwork.metadata.name",
      "PublicNetwork.spec.nodeSelector{}",
      "PublicNetwork.spec.routing[].cidr",
      "PublicNetwork.spec.routing[].gateway",
      "PublicNetwork.spec.routing[].replaces",
      "PublicNetwork.spec.routing[].staticAddresses[].address",
      "PublicNetwork.spec.routing[].staticAddresses[].node",
      "PublicNetwork.spec.type",
      "PublicNetwork.spec.vlan.parent",
      "PublicNetwork.spec.vxlan.bgp.importRouteTargets[]",
      "PublicNetwork.spec.vxlan.bgp.passwordFile",
      "PublicNetwork.spec.vxlan.bgp.peers[]",
      "PublicNetwork.spec.vxlan.bgp.routeDistinguisher",
      "PublicNetwork.spec.vxlan.bgp.routeTarget",
      "PublicNetwork.spec.vxlan.bgp.routerId",
      "PublicNetwork.spec.vxlan.bgp.sourceAddress",
      "PublicNetwork.spec.vxlan.nodeInterface",
      "PublicNetwork.spec.vxlan.nodeNet",
      "PublicNetwork.spec.vxlan.remotes[]",
      "VlanRouter.spec.podNetworks[]",
    ]);
    const unruled = allSchemas().filter(
      ([place, schema]) =>
        place.startsWith("PublicNetwork.spec") &&
        schema.type === "string" &&
        rulesOf(schema).length === 0 &&
        schema.enum === undefined,
    );
    assert.deepEqual(unruled, []);
  });

  test("entries of status lists are told apart by their names in server-side apply", () => {
    assert.deepEqual(schemaAt("RouterNode", "status", "networks")["x-kubernetes-list-map-keys"], ["name"]);
    assert.deepEqual(schemaAt("RouterNode", "status", "networks", "[]", "conditions")["x-kubernetes-list-map-keys"], [
      "type",
    ]);
  });
});

describe("revision of a network", () => {
  const [network] = configurationOf(document(vlanNetwork())).networks;
  if (network === undefined) throw new Error("no network");
  const { name, ...spec } = network;
  const data: NetworkRevisionData = { network: name, uid: "u-1", spec, podNetworks: ["10.244.0.0/16"] };

  test("is short and fit for a name", () => {
    assert.match(networkRevision(data), /^[0-9a-f]{10}$/);
    assert.equal(revisionName(data), `vlan220-${networkRevision(data)}`);
  });

  test("stays what it is from one release to the next: another one would be rolled out to every node", () => {
    // printf '%s' '{"network":"vlan220","podNetworks":[…],"spec":{…},"uid":"u-1"}' | sha256sum, keys in order
    assert.equal(networkRevision(data), "085107fcf0");
  });

  test("does not depend on the order of keys", () => {
    const reversed = (value: unknown): unknown =>
      typeof value !== "object" || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, nested]) => [key, reversed(nested)]),
          );
    assert.equal(networkRevision(reversed(data) as NetworkRevisionData), networkRevision(data));
  });

  test("changes with each part", () => {
    const others: readonly NetworkRevisionData[] = [
      { ...data, network: "other" },
      { ...data, uid: "u-2" },
      { ...data, podNetworks: [] },
      { ...data, spec: { ...spec, nodeSelector: { rack: "a" } } },
    ];
    const revisions = [data, ...others].map(networkRevision);
    assert.equal(new Set(revisions).size, revisions.length);
  });
});
