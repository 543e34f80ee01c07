import type * as kubernetes from "@pulumi/kubernetes";
import { customResourceDefinitions } from "../model/index.js";
import { objectLabels } from "./object-labels.js";

type Definition = kubernetes.types.input.apiextensions.v1.CustomResourceDefinition;

export interface NamedDefinition {
  /** `publicnetworks.vlan-router.io` */
  readonly name: string;
  readonly definition: Definition;
}

/** The definitions as Pulumi's Kubernetes package takes them, each awaited until the API server serves it. */
export function definitions(): readonly NamedDefinition[] {
  return customResourceDefinitions().map((manifest) => {
    const { metadata, ...rest } = pulumiSpelling(manifest) as Definition & {
      readonly metadata: { readonly name: string };
    };
    return {
      name: metadata.name,
      definition: {
        ...rest,
        metadata: {
          ...metadata,
          labels: { ...objectLabels },
          annotations: { "pulumi.com/waitFor": "condition=Established" },
        },
      },
    };
  });
}

const kubernetesPrefix = "x-kubernetes-";
const pulumiPrefix = "x_kubernetes_";

/** Pulumi's schema has no hyphens in property names; its provider spells these keys back. */
export function pulumiSpelling(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pulumiSpelling);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, nested]) => [
      key.startsWith(kubernetesPrefix) ? pulumiPrefix + key.slice(kubernetesPrefix.length).replaceAll("-", "_") : key,
      pulumiSpelling(nested),
    ]),
  );
}
