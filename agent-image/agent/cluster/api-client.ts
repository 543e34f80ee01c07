import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { Credentials } from "./credentials.js";
import { KubeconfigCredentials } from "./kubeconfig-credentials.js";
import { ServiceAccount } from "./service-account.js";

/** Milliseconds. A request that takes longer is given up; the caller tries again. */
const requestTimeout = 15_000;
/**
 * Milliseconds of silence after which a watch is held for dead. The API server sends a bookmark each minute, so a
 * connection that is half open is noticed although nothing changes.
 */
const watchSilenceTimeout = 100_000;

export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

export interface WatchEvent<Item> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: Item;
}

/** The API server's answer was an error. `status` is the HTTP status. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    call: ApiCall,
    detail: string,
  ) {
    super(`${call.method} ${call.path}: ${status} ${detail}`);
    this.name = "ApiError";
  }
}

/** JSON to and from the API server, over connections that are kept. */
export class ApiClient {
  /** Monotonic milliseconds of the last answer, whatever it said: the API server is there. */
  lastContact = Number.NEGATIVE_INFINITY;

  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** From a kubeconfig file, or from the pod's service account. */
  static from(kubeconfig: string | undefined): ApiClient {
    return new ApiClient(kubeconfig === undefined ? new ServiceAccount() : new KubeconfigCredentials(kubeconfig));
  }

  async request<Result>(call: ApiCall): Promise<Result> {
    const timeout = AbortSignal.timeout(requestTimeout);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
    const response = await this.#send({ ...call, signal });
    const body = await text(response);
    const { statusCode = 0 } = response;
    if (statusCode >= 300) {
      throw new ApiError(statusCode, call, statusMessage(body));
    }
    return JSON.parse(body) as Result;
  }

  /** Whether the API server answers anything within `timeout` milliseconds; a refusal is an answer. */
  async answers(timeout: number): Promise<boolean> {
    try {
      await this.request({ method: "GET", path: "/version", signal: AbortSignal.timeout(timeout) });
      return true;
    } catch (error) {
      return error instanceof ApiError;
    }
  }

  /** Yields events until the server ends the watch. Throws when it refuses it, or falls silent. */
  async *watch<Item>(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<Item>> {
    const call = { method: "GET", path, query: { ...query, watch: "true", allowWatchBookmarks: "true" } } as const;
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(new Error(`GET ${path}: the watch fell silent`)), watchSilenceTimeout);
    try {
      const response = await this.#send({ ...call, signal: AbortSignal.any([signal, silence.signal]) });
      if (response.statusCode !== 200) {
        throw new ApiError(response.statusCode ?? 0, call, statusMessage(await text(response)));
      }
      const decoder = new TextDecoder();
      let rest = "";
      for await (const chunk of response as AsyncIterable<Buffer>) {
        this.lastContact = performance.now();
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(new Error(`GET ${path}: the watch fell silent`)), watchSilenceTimeout);
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines.filter((text) => text !== "")) {
          yield JSON.parse(line) as WatchEvent<Item>;
        }
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  async #send(call: ApiCall): Promise<IncomingMessage> {
    try {
      const response = await this.#exchange(call);
      this.lastContact = performance.now();
      return response;
    } catch (error) {
      this.#credentials.forget();
      throw new Error(`${call.method} ${call.path}: ${causeOf(error)}`, { cause: error });
    }
  }

  async #exchange({ method, path, query, body, contentType, signal }: ApiCall): Promise<IncomingMessage> {
    const { server, agent, headers } = await this.#credentials.access();
    const url = new URL(server + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      url.searchParams.set(name, value);
    }
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const describing =
      content === undefined
        ? {}
        : { "Content-Type": contentType ?? "application/json", "Content-Length": content.byteLength };
    return new Promise((resolve, reject) => {
      const send = url.protocol === "http:" ? plainRequest : tlsRequest;
      const all = { ...headers, ...describing, Accept: "application/json" };
      send(url, { method, agent, headers: all, ...(signal === undefined ? {} : { signal }) }, resolve)
        .on("error", reject)
        .end(content);
    });
  }
}

function statusMessage(body: string): string {
  try {
    return String((JSON.parse(body) as { message?: unknown }).message ?? body);
  } catch {
    return body.slice(0, 200);
  }
}

/** An abort carries its reason: "The operation was aborted" alone helps nobody. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
