import { ApiException } from "@kubernetes/client-node";
import { PlainError } from "../plain-error.js";
import { errorCodes } from "./error-codes.js";

export type KubernetesErrorKind =
  | "unreachable"
  /** It answers, but asks to come back in a moment: under load, or while it makes the storage of a new definition. */
  | "busy"
  | "unauthorized"
  /** It answers, and is not the one in which the state was made. */
  | "anotherCluster"
  | "notFound"
  | "conflict"
  | "refused";

/** A failed request to the API server, in words that stand alone: Pulumi prints only the message. */
export class KubernetesError extends PlainError {
  override readonly name = "KubernetesError";

  constructor(
    readonly kind: KubernetesErrorKind,
    message: string,
  ) {
    super(message);
  }
}

const kindsByStatus: ReadonlyMap<number, KubernetesErrorKind> = new Map([
  [401, "unauthorized"],
  [403, "unauthorized"],
  [404, "notFound"],
  [409, "conflict"],
  [429, "busy"],
]);

const rejectedCredentials =
  'it does not take the credentials of the kubeconfig; renew the token or certificate, until "kubectl get namespaces" answers with it';

/**
 * Turns what the client library throws into a `KubernetesError`. The cause is not kept: it holds headers and bodies, and
 * whoever prints an error prints its causes.
 * @param request what was asked, for example `apply PublicNetwork vxlan228`
 * @param server the server's address as it may be shown
 */
export function kubernetesError(request: string, server: string, cause: unknown): KubernetesError {
  if (cause instanceof KubernetesError) return cause;
  if (cause instanceof ApiException) {
    const kind = kindsByStatus.get(cause.code) ?? (cause.code >= 500 ? "unreachable" : "refused");
    // The library keeps no body of this answer (its CoreV1Api makes the exception without it).
    const said = cause.code === 401 ? rejectedCredentials : statusMessage(cause.body);
    return new KubernetesError(kind, `${request}: the API server ${server} says ${cause.code}: ${said}`);
  }
  const codes = errorCodes(cause).join(": ");
  if (isLocal(cause)) {
    return new KubernetesError(
      "unauthorized",
      `${request}: a file or program that the kubeconfig names cannot be used: ${codes}; "kubectl get namespaces" with the same kubeconfig says more`,
    );
  }
  return new KubernetesError("unreachable", `${request}: the API server ${server} does not answer: ${codes}`);
}

/** Reading a certificate or starting a credential plugin comes before the request; their errors name a path. */
function isLocal(cause: unknown): boolean {
  return cause instanceof Error && "path" in cause;
}

/**
 * The message of the `Status` object (meta/v1) in the body, which the library hands on as text or parsed. Any other body
 * is not the API server's: a proxy may send back whatever it was sent.
 */
function statusMessage(body: unknown): string {
  const status = typeof body === "string" ? parsed(body) : body;
  const isStatus = typeof status === "object" && status !== null && "kind" in status && status.kind === "Status";
  if (!isStatus) return "the answer is no Status object; is this an API server?";
  return "message" in status && typeof status.message === "string"
    ? withoutAuthorization(status.message)
    : "no further message";
}

/** An authenticating proxy or webhook may name what it refused. */
function withoutAuthorization(text: string): string {
  return text.replaceAll(/\b(Bearer|Basic) +[^\s"',;]+/gi, "$1 (hidden)");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
