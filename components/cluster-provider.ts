import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { clusterIdentifier } from "../provider/kubernetes/cluster-identifier.js";
import type { Cluster } from "./cluster-args.js";

/** Pulumi's Kubernetes provider that the program gave to a component; any type of that package finds it. */
export function givenProvider(component: pulumi.ComponentResource): pulumi.ProviderResource | undefined {
  return component.getProvider("kubernetes:core/v1:Namespace");
}

/** What a Kubernetes provider of our own needs. */
export interface OwnProvider {
  readonly component: pulumi.ComponentResource;
  readonly name: string;
  /** That the dynamic resources work on too. */
  readonly cluster: Cluster;
  /**
   * One of our resources that refuses another cluster. The state of the provider gets new credentials after it alone: else a
   * refused update would leave a provider that looks for the objects in the other cluster, and a refresh would forget them.
   */
  readonly after: pulumi.Resource;
  readonly upsertExistingObjects?: true;
}

export function ownProvider({ component, name, cluster, after, ...options }: OwnProvider): kubernetes.Provider {
  return new kubernetes.Provider(
    name,
    { ...cluster, clusterIdentifier, ...options },
    { parent: component, dependsOn: [after] },
  );
}
