import { PlainError } from "../plain-error.js";

export type KubernetesErrorKind =
  | "unreachable"
  /** It answers, but asks to come back in a moment: under load, or while it makes the storage of a new definition. */
  | "busy"
  | "unauthorized"
  | "notFound"
  | "conflict"
  | "refused";

/** A failed request to the API server, in words that stand alone: Pulumi prints only the message. */
export class KubernetesError extends PlainError {
  override readonly name = "KubernetesError";

  constructor(
    readonly kind: KubernetesErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const kindsByStatus: ReadonlyMap<number, KubernetesErrorKind> = new Map([
  [401, "unauthorized"],
  [403, "unauthorized"],
  [404, "notFound"],
  [409, "conflict"],
  [429, "busy"],
]);

/**
 * Turns what the client library throws into a `KubernetesError`.
 * @param request what was asked, for example `apply PublicNetwork vxlan228`
 */
export function kubernetesError(request: string, server: string, cause: unknown): KubernetesError {
  if (cause instanceof KubernetesError) return cause;
  const status = statusCode(cause);
  if (status === undefined) {
    return new KubernetesError("unreachable", `${request}: the API server ${server} does not answer: ${roots(cause)}`, {
      cause,
    });
  }
  const kind = kindsByStatus.get(status) ?? (status >= 500 ? "unreachable" : "refused");
  return new KubernetesError(kind, `${request}: the API server ${server} says ${status}: ${statusMessage(cause)}`, {
    cause,
  });
}

function statusCode(cause: unknown): number | undefined {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined;
  return typeof cause.code === "number" ? cause.code : undefined;
}

/** The message of the `Status` object (meta/v1) in the body; the library hands the body on as text or parsed. */
function statusMessage(cause: unknown): string {
  const body = typeof cause === "object" && cause !== null && "body" in cause ? cause.body : undefined;
  const status = typeof body === "string" ? parsed(body) : body;
  if (typeof status === "object" && status !== null && "message" in status) return String(status.message);
  return typeof body === "string" && body.trim() !== "" ? body.trim() : "no further message";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch failed` says nothing; its causes name the address and the reason. */
function roots(cause: unknown): string {
  const messages: string[] = [];
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error.message !== "" && error.message !== "fetch failed") messages.push(error.message);
    else if ("code" in error && typeof error.code === "string") messages.push(error.code);
  }
  return messages.length === 0 ? String(cause) : [...new Set(messages)].join(": ");
}
