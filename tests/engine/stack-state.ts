import type { Stack } from "../../lab/pulumi/stack.js";

/** A resource in the state of a stack (pulumi/pulumi sdk/go/common/apitype/core.go, ResourceV3). */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Why it is there and not well. */
  readonly initErrors?: readonly string[];
}

/** What the engine keeps of a stack. */
export async function stateOf(stack: Stack): Promise<readonly StateResource[]> {
  const { deployment } = JSON.parse(await stack.exported()) as {
    readonly deployment: { readonly resources?: readonly StateResource[] };
  };
  return deployment.resources ?? [];
}

/**
 * How many resources of each type there are. A program that the engine does not find makes an empty stack without an
 * error, so tests count.
 */
export function typesOf(resources: readonly Pick<StateResource, "type">[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of resources) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** What a program with one router has in its state, by type. */
export function deployedTypes({ networks }: { readonly networks: number }): Readonly<Record<string, number>> {
  return {
    "pulumi:pulumi:Stack": 1,
    "pulumi:providers:kubernetes": 2,
    "pulumi:providers:pulumi-nodejs": 1,
    "vlan-router:index:VlanRouter": 1,
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": 3,
    "kubernetes:core/v1:Namespace": 1,
    "kubernetes:core/v1:ServiceAccount": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:Role": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding": 1,
    "kubernetes:vlan-router.io/v1alpha1:VlanRouter": 1,
    "kubernetes:apps/v1:DaemonSet": 1,
    "pulumi-nodejs:dynamic/vlan-router:AgentRollout": 1,
    "pulumi-nodejs:dynamic/vlan-router:NodeReports": 1,
    "vlan-router:index:PublicNetwork": networks,
    "pulumi-nodejs:dynamic/vlan-router:NetworkState": networks,
  };
}
