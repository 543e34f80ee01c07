import { ApiException } from "@kubernetes/client-node";
import { PlainError } from "../plain-error.js";
import { errorCodes } from "./error-codes.js";

export type KubernetesErrorKind =
  | "unreachable"
  /** It answers, but asks to come back in a moment: under load, or while it makes the storage of a new definition. */
  | "busy"
  /** There is no kubeconfig, or nothing can be asked with what it holds or names. */
  | "kubeconfig"
  /** The context that was asked for is not in the kubeconfig. */
  | "context"
  /** It does not take the credentials, or they may not do what was asked. */
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
const missingPermission = "give their user that permission, or give the kubeconfig of one who has it";

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
    return new KubernetesError(kind, `${request}: the API server ${server} says ${cause.code}: ${saidBy(cause)}`);
  }
  const codes = errorCodes(cause).join(": ");
  if (isLocal(cause)) {
    return new KubernetesError(
      "kubeconfig",
      `${request}: a file or program that the kubeconfig names cannot be used: ${codes}; "kubectl get namespaces" with the same kubeconfig says more`,
    );
  }
  if (isCryptographic(cause)) {
    return new KubernetesError(
      "kubeconfig",
      `${request}: with the certificates and keys of the kubeconfig there is no connection to the API server ${server}: ${codes}; "kubectl get namespaces" with the same kubeconfig says more`,
    );
  }
  return new KubernetesError("unreachable", `${request}: the API server ${server} does not answer: ${codes}`);
}

function saidBy({ code, body }: ApiException<unknown>): string {
  // The library keeps no body of this answer (its CoreV1Api makes the exception without it).
  if (code === 401) return rejectedCredentials;
  return code === 403 ? `${statusMessage(body)}; ${missingPermission}` : statusMessage(body);
}

/** Reading a certificate or starting a credential plugin comes before the request; their errors name a path. */
function isLocal(cause: unknown): boolean {
  return cause instanceof Error && "path" in cause;
}

/** Verification of a certificate (X509_verify_cert_error codes by Node's names), and OpenSSL's own errors of a key. */
const cryptographicCode =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_|INVALID_CA|HOSTNAME_MISMATCH|ERR_TLS_CERT|ERR_OSSL_)/;

function isCryptographic(cause: unknown): boolean {
  return errorCodes(cause).some((code) => cryptographicCode.test(code));
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
