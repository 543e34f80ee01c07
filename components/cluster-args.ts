import * as pulumi from "@pulumi/pulumi";

/** The cluster that a component works on. */
export interface ClusterArgs {
  /**
   * Content of a kubeconfig file, or its path. Kept as a secret. Defaults to the stack configuration
   * `vlan-router:kubeconfig`, then to the environment variable KUBECONFIG; the file in the home folder is never used.
   */
  readonly kubeconfig?: pulumi.Input<string> | undefined;
  /** Context of the kubeconfig. Defaults to the stack configuration `vlan-router:context`, then to its current one. */
  readonly context?: pulumi.Input<string> | undefined;
}

/** What both clients, Pulumi's Kubernetes provider and our own, are built from. */
export interface Cluster {
  /** Absent when both read KUBECONFIG themselves: a path on one machine means nothing in the state. */
  readonly kubeconfig?: pulumi.Output<string>;
  readonly context?: pulumi.Output<string>;
}

const configNamespace = "vlan-router";

/**
 * Finds the credentials of a cluster.
 * @throws ResourceError when none were given: silently taking whatever kubectl would take has deployed to wrong clusters
 *   (pulumi/pulumi-kubernetes#2773)
 */
export function resolveCluster(args: ClusterArgs | undefined, component: string): Cluster {
  const config = new pulumi.Config(configNamespace);
  const kubeconfig = args?.kubeconfig ?? config.getSecret("kubeconfig");
  const context = args?.context ?? config.get("context");
  if (kubeconfig === undefined && (process.env.KUBECONFIG ?? "") === "") {
    throw new pulumi.ResourceError(
      `${component}: no cluster is named; give cluster.kubeconfig, or "pulumi config set --secret ${configNamespace}:kubeconfig", or set KUBECONFIG`,
      undefined,
      true,
    );
  }
  return {
    ...(kubeconfig === undefined ? {} : { kubeconfig: pulumi.secret(kubeconfig) }),
    ...(context === undefined ? {} : { context: pulumi.output(context) }),
  };
}
