import { KubernetesError } from "./kubernetes-error.js";

/** Which cluster a resource lives in, as its inputs name it. `kubeconfig` is the content of a file, or its path. */
export interface ClusterReference {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Where credentials may come from besides a resource's own inputs. */
export interface Surroundings {
  /** Stack configuration `vlan-router:kubeconfig`. */
  readonly stackKubeconfig?: string;
  /** Environment variable `KUBECONFIG`: one or more paths. */
  readonly environmentKubeconfig?: string;
}

export interface CredentialSource {
  /** For messages: where these credentials come from. */
  readonly origin: string;
  readonly kubeconfig:
    | { readonly kind: "content"; readonly text: string }
    /** Came as a secret: a mistake for content is possible, so no message may show it. */
    | { readonly kind: "secretPath"; readonly path: string }
    | { readonly kind: "paths"; readonly paths: readonly string[] };
  readonly context?: string;
}

export const kubeconfigKey = "vlan-router:kubeconfig";
export const kubeconfigVariable = "KUBECONFIG";

/**
 * The credentials to try, in order.
 *
 * What the program says now is the truth, so it alone counts when it names a kubeconfig. What the state holds may have
 * been rotated since: there stack configuration and environment go first, and the uid of the cluster decides which of
 * them is meant.
 * @param pathDelimiter what separates the paths of KUBECONFIG on this platform
 */
export function credentialSources(
  reference: ClusterReference,
  heldBy: "program" | "state",
  surroundings: Surroundings,
  pathDelimiter: string,
): readonly CredentialSource[] {
  const kubeconfig = textOf("kubeconfig", reference.kubeconfig, heldBy);
  const context = textOf("context", reference.context ?? undefined, heldBy);
  const own = kubeconfig === undefined ? [] : [sourceOf(`the ${heldBy}`, kubeconfig)];
  const stack =
    surroundings.stackKubeconfig === undefined
      ? []
      : [sourceOf(`stack configuration ${kubeconfigKey}`, surroundings.stackKubeconfig)];
  const paths = (surroundings.environmentKubeconfig ?? "").split(pathDelimiter).filter((path) => path !== "");
  const environment: CredentialSource[] =
    paths.length === 0 ? [] : [{ origin: `environment ${kubeconfigVariable}`, kubeconfig: { kind: "paths", paths } }];
  const around = [...stack, ...environment];
  const chosen = heldBy === "state" ? [...around, ...own] : own.length > 0 ? own : around.slice(0, 1);
  return chosen.map((source) => (context === undefined ? source : { ...source, context }));
}

/**
 * An Output is anything by the time that it is known, whatever its type says: nothing, where another stack has no such output (null
 * on the way to a provider), or an object, as some clouds give theirs.
 */
function textOf(kind: "kubeconfig" | "context", value: unknown, heldBy: string): string | undefined {
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  const remedies = {
    kubeconfig: "give the content of a kubeconfig file as text (of an object: JSON.stringify), or its path",
    context: "give the name of a context, or leave it out",
  };
  const found =
    value === null || value === "" ? "nothing, or an output that is not there," : `a value of type ${typeof value}`;
  throw new KubernetesError(kind, `the ${heldBy} gives ${found} as ${kind}; ${remedies[kind]}`);
}

/** A kubeconfig in YAML has several lines, one in JSON starts with a brace; a path has neither, nor has base64. */
function sourceOf(origin: string, kubeconfig: string): CredentialSource {
  const isContent = kubeconfig.includes("\n") || kubeconfig.trimStart().startsWith("{");
  return {
    origin,
    kubeconfig: isContent ? { kind: "content", text: kubeconfig } : { kind: "secretPath", path: kubeconfig },
  };
}
