import { z } from "zod";
import { networkSpecSchema, routerSpecSchema } from "../configuration/schema.js";
import { apiGroup, apiVersion, routerName } from "./objects.js";
import { withPublicNetworkRules } from "./public-network-rules.js";
import { routerNodeSpecSchema, routerNodeStatusSchema } from "./router-node-schema.js";
import { type CelRule, type JsonSchema, structuralSchema } from "./structural-schema.js";

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
}

interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  readonly jsonPath: string;
  readonly description: string;
}

export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

interface Definition {
  readonly names: Names;
  readonly description: string;
  readonly spec: JsonSchema;
  readonly status?: JsonSchema;
  readonly rules?: readonly CelRule[];
  readonly columns: readonly PrinterColumn[];
}

const version = apiVersion.slice(apiGroup.length + 1);

const publicNetwork: Definition = {
  names: { kind: "PublicNetwork", plural: "publicnetworks", singular: "publicnetwork", shortNames: ["pubnet"] },
  description: "One public network: a VXLAN or VLAN segment with its subnets, carried by every selected node.",
  spec: withPublicNetworkRules(structuralSchema(networkSpecSchema)),
  columns: [
    { name: "Type", type: "string", jsonPath: ".spec.type", description: "vxlan or vlan" },
    { name: "VNI", type: "integer", jsonPath: ".spec.vxlan.vni", description: "VXLAN network identifier" },
    { name: "VLAN", type: "integer", jsonPath: ".spec.vlan.id", description: "802.1Q VLAN id" },
    { name: "CIDR", type: "string", jsonPath: ".spec.routing[0].cidr", description: "The first subnet" },
    { name: "Gateway", type: "string", jsonPath: ".spec.routing[0].gateway", description: "Its gateway" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Age of the object" },
  ],
};

const routerNode: Definition = {
  names: { kind: "RouterNode", plural: "routernodes", singular: "routernode", shortNames: ["rnode"] },
  description: "One node: the revision of each network that it is told to carry, and what it has.",
  spec: structuralSchema(routerNodeSpecSchema),
  status: structuralSchema(routerNodeStatusSchema),
  columns: [
    { name: "Version", type: "string", jsonPath: ".status.agent.version", description: "Version of the agent" },
    { name: "Heartbeat", type: "date", jsonPath: ".status.heartbeatTime", description: "Last sign of the agent" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Age of the object" },
  ],
};

const vlanRouter: Definition = {
  names: { kind: "VlanRouter", plural: "vlanrouters", singular: "vlanrouter", shortNames: ["vrouter"] },
  description: "What all public networks of the cluster share; there is one, and it is called default.",
  spec: structuralSchema(routerSpecSchema),
  status: structuralSchema(z.strictObject({ removed: z.array(z.string()).exactOptional() })),
  rules: [{ rule: `self.metadata.name == '${routerName}'`, message: `the only VlanRouter is called ${routerName}` }],
  columns: [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Age of the object" }],
};

/** The CustomResourceDefinitions of this package, sorted by name, ready to be applied. */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return [publicNetwork, routerNode, vlanRouter].map(toResource);
}

function toResource({ names, description, spec, status, rules, columns }: Definition): CustomResourceDefinition {
  const schema = {
    description,
    type: "object",
    required: ["spec"],
    properties: { spec, ...(status === undefined ? {} : { status }) },
    ...(rules === undefined ? {} : { "x-kubernetes-validations": rules }),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${apiGroup}` },
    spec: {
      group: apiGroup,
      scope: "Cluster",
      names: { ...names, listKind: `${names.kind}List`, categories: ["vlan-router"] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          // With the subresource a change of status leaves metadata.generation alone.
          subresources: { status: {} },
          additionalPrinterColumns: columns,
        },
      ],
    },
  };
}
