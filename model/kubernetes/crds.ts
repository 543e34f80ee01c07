import { z } from "zod";
import { fieldDescription } from "../configuration/field-descriptions.js";
import { networkSpecSchema, routerSpecSchema } from "../configuration/schema.js";
import { textForms } from "../configuration/text-forms.js";
import type { JsonSchema } from "../json-schema/json-schema.js";
import { described, mapFields } from "../json-schema/map-fields.js";
import { networkNameRules, prefixRules } from "./cel-rules.js";
import { apiGroup, apiVersion, routerName } from "./objects.js";
import { withPublicNetworkRules } from "./public-network-rules.js";
import { routerNodeDescriptions } from "./router-node-descriptions.js";
import { routerNodeSpecSchema, routerNodeStatusSchema } from "./router-node-schema.js";
import { structuralSchema, withRules } from "./structural-schema.js";

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
  /** Over 0 only with `kubectl get -o wide`. */
  readonly priority?: number;
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
  /** `metadata.name`, where it is bound more than Kubernetes binds it. */
  readonly name?: JsonSchema;
  readonly columns: readonly PrinterColumn[];
  /** By place in the object, `spec.vxlan.vni`. */
  readonly describe: (place: string) => string | undefined;
}

const version = apiVersion.slice(apiGroup.length + 1);

const age: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Age of the object",
};

const publicNetwork: Definition = {
  names: { kind: "PublicNetwork", plural: "publicnetworks", singular: "publicnetwork", shortNames: ["pubnet"] },
  description: "One public network: a VXLAN or VLAN segment with its subnets, carried by every selected node.",
  spec: withPublicNetworkRules(structuralSchema(networkSpecSchema)),
  name: { type: "string", maxLength: textForms.networkName.maxLength, "x-kubernetes-validations": networkNameRules },
  columns: [
    { name: "Type", type: "string", jsonPath: ".spec.type", description: "vxlan or vlan" },
    { name: "VNI", type: "integer", jsonPath: ".spec.vxlan.vni", description: "VXLAN network identifier" },
    { name: "VLAN", type: "integer", jsonPath: ".spec.vlan.id", description: "802.1Q VLAN id" },
    { name: "CIDR", type: "string", jsonPath: ".spec.routing[0].cidr", description: "The first subnet" },
    { name: "Gateway", type: "string", jsonPath: ".spec.routing[0].gateway", description: "Its gateway" },
    age,
  ],
  describe: (place) =>
    place === "spec" ? "The network as it is declared." : fieldDescription(place.replace(/^spec\./, "")),
};

const routerNode: Definition = {
  names: { kind: "RouterNode", plural: "routernodes", singular: "routernode", shortNames: ["rnode"] },
  description: "One node: the revision of each network that it is told to carry, and what it has.",
  spec: structuralSchema(routerNodeSpecSchema),
  status: structuralSchema(routerNodeStatusSchema),
  columns: [
    { name: "Version", type: "string", jsonPath: ".status.agent.version", description: "Version of the agent" },
    { name: "Heartbeat", type: "date", jsonPath: ".status.heartbeatTime", description: "Last sign of the agent" },
    age,
    { name: "Image", type: "string", jsonPath: ".status.agent.image", description: "The agent's image", priority: 1 },
  ],
  describe: (place) => (Object.hasOwn(routerNodeDescriptions, place) ? routerNodeDescriptions[place] : undefined),
};

const routerDescriptions: Readonly<Record<string, string>> = {
  spec: "What all networks of the cluster share.",
  status: "What the nodes are told beside the networks.",
  "status.removed":
    "uids of PublicNetworks that are gone without having been deleted: the nodes remove these networks.",
};

const vlanRouter: Definition = {
  names: { kind: "VlanRouter", plural: "vlanrouters", singular: "vlanrouter", shortNames: ["vrouter"] },
  description: "What all public networks of the cluster share; there is one, and it is called default.",
  spec: withRules(structuralSchema(routerSpecSchema), [{ place: ["podNetworks", "[]"], rules: prefixRules }]),
  status: structuralSchema(z.strictObject({ removed: z.array(z.string()).exactOptional() })),
  name: { type: "string", enum: [routerName] },
  columns: [
    { name: "CNI", type: "string", jsonPath: ".spec.cni", description: "What the pods are networked with" },
    { name: "Pod networks", type: "string", jsonPath: ".spec.podNetworks", description: "Of pods and services" },
    age,
  ],
  describe: (place) =>
    Object.hasOwn(routerDescriptions, place)
      ? routerDescriptions[place]
      : fieldDescription(place.replace(/^spec\./, "")),
};

/** The CustomResourceDefinitions of this package, sorted by name, ready to be applied. */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return [publicNetwork, routerNode, vlanRouter].map(toResource);
}

function toResource(definition: Definition): CustomResourceDefinition {
  const { names, columns } = definition;
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
          schema: { openAPIV3Schema: objectSchema(definition) },
          // With the subresource a change of status leaves metadata.generation alone.
          subresources: { status: {} },
          additionalPrinterColumns: columns,
        },
      ],
    },
  };
}

function objectSchema({ description, name, spec, status, describe }: Definition): JsonSchema {
  const properties = {
    // The one part of the metadata that a definition may bind.
    ...(name === undefined ? {} : { metadata: { type: "object", properties: { name } } }),
    spec,
    ...(status === undefined ? {} : { status }),
  };
  const schema = { description, type: "object", required: ["spec"], properties };
  return mapFields(schema, (field, place) => described(field, describe(place)));
}
