import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import type { CredentialSource } from "./credential-source.js";
import { errorCodes } from "./error-codes.js";
import { KubernetesError } from "./kubernetes-error.js";

/**
 * The kubeconfig of a source, its files merged as kubectl does it.
 * @throws KubernetesError that says what is wrong and where, but shows nothing of the content, nor of a value that may be
 *   content: both hold credentials, and an engine keeps what it prints
 */
export function loadKubeconfig({ kubeconfig, context }: CredentialSource): KubeConfig {
  const config = new KubeConfig();
  switch (kubeconfig.kind) {
    case "content":
      loadText(config, kubeconfig.text, "it");
      break;
    case "secretPath":
      loadFile(config, kubeconfig.path, "the value, taken for a path because it is one line,");
      break;
    case "paths":
      kubeconfig.paths.forEach((path, index) => {
        const part = index === 0 ? config : new KubeConfig();
        loadFile(part, path, path);
        if (part !== config) merge(config, part, path);
      });
  }
  if (context !== undefined) choose(config, context);
  return config;
}

function choose(config: KubeConfig, context: string): void {
  const contexts = config.getContexts().map(({ name }) => name);
  if (!contexts.includes(context)) {
    throw new KubernetesError(
      "context",
      `it has no context "${context}", but ${contexts.join(", ") || "none at all"}; write one of its contexts, or leave the key out to use its current one`,
    );
  }
  config.setCurrentContext(context);
}

function merge(config: KubeConfig, part: KubeConfig, path: string): void {
  try {
    config.mergeConfig(part);
  } catch {
    throw unusable(`${path} names a cluster, user or context that an earlier file of the list names too`);
  }
}

/** @param shown how messages call the file */
function loadFile(config: KubeConfig, path: string, shown: string): void {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw unusable(
      `${shown} cannot be read (${errorCodes(cause).join(": ")}); give a kubeconfig's content or its path`,
    );
  }
  loadText(config, text, shown);
  // Certificates and keys may be named relative to the file.
  config.makePathsAbsolute(dirname(path));
}

function loadText(config: KubeConfig, text: string, shown: string): void {
  try {
    config.loadFromString(text);
  } catch (cause) {
    const mark = markOf(cause);
    throw unusable(
      mark === undefined
        ? `${shown} is no kubeconfig: clusters, contexts and users must be lists of named entries ("kubectl config view" shows what kubectl makes of it)`
        : `${shown} is no YAML: see line ${mark.line + 1}, column ${mark.column + 1}`,
    );
  }
}

function unusable(message: string): KubernetesError {
  return new KubernetesError("kubeconfig", message);
}

interface Mark {
  readonly line: number;
  readonly column: number;
}

/** Where the YAML parser (js-yaml, inside the client library) stopped, from 0; its message quotes the lines around. */
function markOf(cause: unknown): Mark | undefined {
  const mark = typeof cause === "object" && cause !== null && "mark" in cause ? cause.mark : undefined;
  if (typeof mark !== "object" || mark === null || !("line" in mark) || !("column" in mark)) return undefined;
  return typeof mark.line === "number" && typeof mark.column === "number"
    ? { line: mark.line, column: mark.column }
    : undefined;
}
