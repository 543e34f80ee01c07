import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Cluster } from "./cluster-args.js";

/** Pulumi's Kubernetes provider that the program gave to a component; any type of that package finds it. */
export function givenProvider(component: pulumi.ComponentResource): pulumi.ProviderResource | undefined {
  return component.getProvider("kubernetes:core/v1:Namespace");
}

/** One of the component's own, for the cluster that the dynamic resources work on too. */
export function newProvider(component: pulumi.ComponentResource, name: string, cluster: Cluster): kubernetes.Provider {
  return new kubernetes.Provider(`${name}-cluster`, { ...cluster }, { parent: component });
}
