import type { KubeConfig } from "@kubernetes/client-node";
import { KubernetesError } from "./kubernetes-error.js";

export interface ServerAddress {
  /** As the kubeconfig has it; it may carry a user and a password. */
  readonly url: string;
  /** Scheme, host and port, for messages. */
  readonly shown: string;
}

/**
 * The API server of a kubeconfig's current context.
 * @throws KubernetesError when there is none, or none of HTTP
 */
export function serverAddress(config: KubeConfig): ServerAddress {
  const url = config.getCurrentCluster()?.server;
  const context = `context "${config.getCurrentContext()}" of the kubeconfig`;
  if (url === undefined) {
    const contexts = config.getContexts().map(({ name }) => name);
    throw unusable(`${context} names no cluster; it has the contexts: ${contexts.join(", ") || "none"}`);
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "https:" && parsed?.protocol !== "http:") {
    throw unusable(`${context} names a cluster whose server is no URL such as https://10.0.0.1:6443`);
  }
  return { url, shown: parsed.origin };
}

function unusable(message: string): KubernetesError {
  return new KubernetesError("kubeconfig", message);
}
