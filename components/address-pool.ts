import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { ownerAnnotation } from "../model/index.js";
import { type AddressPool, metallbVersion } from "../provider/network-state/address-pool.js";

/** MetalLB's pool of a network's addresses. What is left out follows from the network. */
export interface AddressPoolArgs {
  /** Name of the IPAddressPool and of its L2Advertisement. Defaults to the name of the PublicNetwork object. */
  readonly name?: string;
  /**
   * MetalLB's own namespace: it reads pools nowhere else. Defaults to the router's `metallbNamespace`, then to
   * `metallb-system`.
   */
  readonly namespace?: pulumi.Input<string>;
  /**
   * Ranges (`203.0.113.16-203.0.113.31`) and prefixes inside the network. Defaults to every address that customers can
   * have: all but the gateway and, where the subnet has them, network and broadcast address.
   */
  readonly addresses?: readonly pulumi.Input<string>[];
  /** Whether Services that name no pool get addresses of this one. Defaults to true, as in MetalLB. */
  readonly autoAssign?: pulumi.Input<boolean>;
}

/** As MetalLB's own manifests install it. */
export const defaultMetallbNamespace = "metallb-system";

const labels = { "app.kubernetes.io/managed-by": "pulumi" };

/**
 * Makes the pool and lets MetalLB answer for it on the network's interface alone, and only on nodes that carry the network.
 * @param name of the component
 * @param owner of the network, kept on both objects
 * @param opts a provider for the cluster, and what must stand first
 */
export function createAddressPool(
  name: string,
  pool: pulumi.Output<AddressPool>,
  autoAssign: pulumi.Input<boolean> | undefined,
  owner: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): void {
  const metadata = { name: pool.name, namespace: pool.namespace, labels, annotations: { [ownerAnnotation]: owner } };
  // MetalLB's webhook refuses a second pool of the same addresses, so the old one goes first when the name changes.
  const replaced = { ...opts, deleteBeforeReplace: true };
  const addresses = new kubernetes.apiextensions.CustomResource(
    `${name}-pool`,
    {
      apiVersion: metallbVersion,
      kind: "IPAddressPool",
      metadata,
      spec: { addresses: pool.addresses, ...(autoAssign === undefined ? {} : { autoAssign }) },
    },
    replaced,
  );
  new kubernetes.apiextensions.CustomResource(
    `${name}-advertisement`,
    {
      apiVersion: metallbVersion,
      kind: "L2Advertisement",
      metadata,
      spec: pool.apply(({ name: poolName, interfaces, nodeSelector }) => ({
        ipAddressPools: [poolName],
        interfaces,
        ...(nodeSelector === undefined ? {} : { nodeSelectors: [{ matchLabels: nodeSelector }] }),
      })),
    },
    { ...replaced, dependsOn: [addresses] },
  );
}
