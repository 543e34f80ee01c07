import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { CredentialSource } from "./credential-source.js";

interface Named {
  readonly name: string;
}

interface Kubeconfig {
  readonly "current-context"?: string;
  readonly contexts?: readonly (Named & { readonly context?: { readonly cluster?: string } })[];
  readonly clusters?: readonly (Named & { readonly cluster?: unknown })[];
}

/**
 * The kubeconfig's entry of the cluster that its context names: address, certificates and options as they are written.
 * @returns nothing where there is none to compare, as in a kubeconfig that cannot be read
 */
export function clusterEntry({ kubeconfig, context }: CredentialSource): unknown {
  if (kubeconfig.kind === "paths") return undefined;
  try {
    const text = kubeconfig.kind === "content" ? kubeconfig.text : readFileSync(kubeconfig.path, "utf8");
    const config = parse(text) as Kubeconfig;
    const chosen = config.contexts?.find(({ name }) => name === (context ?? config["current-context"]));
    return config.clusters?.find(({ name }) => name === chosen?.context?.cluster)?.cluster;
  } catch {
    // Why it cannot be read is told where it is used; the parser's own words would show credentials.
    return undefined;
  }
}
