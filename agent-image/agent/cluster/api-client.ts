import { type HttpMethod, IsomorphicFetchHttpLibrary, KubeConfig, RequestContext } from "@kubernetes/client-node";

/** Milliseconds. A request that takes longer is given up; the caller tries again. */
const requestTimeout = 15_000;
/**
 * Milliseconds of silence after which a watch is held for dead. The API server sends a bookmark each minute, so a
 * connection that is half open is noticed although nothing changes.
 */
const watchSilenceTimeout = 100_000;

export interface ApiCall {
  readonly method: HttpMethod;
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

/**
 * Plain JSON to and from the API server, with the credentials and TLS of client-node. Its typed clients turn times into
 * Date objects in lists but not in watches, and open a connection for each request; this keeps one pool and one form.
 */
export class ApiClient {
  /** Monotonic milliseconds of the last answer, whatever it said: the API server is there. */
  lastContact = Number.NEGATIVE_INFINITY;

  readonly #config: KubeConfig;
  readonly #http = new IsomorphicFetchHttpLibrary();
  #dispatcher: ReturnType<RequestContext["getDispatcher"]>;

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  /** From a kubeconfig file, or from the pod's service account. */
  static from(kubeconfig: string | undefined): ApiClient {
    const config = new KubeConfig();
    if (kubeconfig === undefined) {
      config.loadFromCluster();
    } else {
      config.loadFromFile(kubeconfig);
    }
    return new ApiClient(config);
  }

  async request<Result>(call: ApiCall): Promise<Result> {
    const timeout = AbortSignal.timeout(requestTimeout);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
    const response = await this.#send({ ...call, signal });
    const text = await response.body.text();
    if (response.httpStatusCode >= 300) {
      throw new ApiError(response.httpStatusCode, call, statusMessage(text));
    }
    return JSON.parse(text) as Result;
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
      if (response.httpStatusCode !== 200) {
        throw new ApiError(response.httpStatusCode, call, statusMessage(await response.body.text()));
      }
      const decoder = new TextDecoder();
      let rest = "";
      for await (const chunk of response.body.stream() ?? []) {
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

  async #send(call: ApiCall) {
    const cluster = this.#config.getCurrentCluster();
    if (cluster === null) {
      throw new Error("the kubeconfig names no current cluster; set its current-context");
    }
    const url = new URL(cluster.server + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      url.searchParams.set(name, value);
    }
    const context = new RequestContext(url.toString(), call.method);
    await this.#config.applySecurityAuthentication(context);
    // A dispatcher is a connection pool; client-node makes one for each request.
    this.#dispatcher ??= context.getDispatcher();
    if (this.#dispatcher !== undefined) {
      context.setDispatcher(this.#dispatcher);
    }
    if (call.signal !== undefined) {
      context.setSignal(call.signal);
    }
    context.setHeaderParam("Accept", "application/json");
    if (call.body !== undefined) {
      context.setHeaderParam("Content-Type", call.contentType ?? "application/json");
      context.setBody(JSON.stringify(call.body));
    }
    try {
      const response = await this.#http.send(context).toPromise();
      this.lastContact = performance.now();
      return response;
    } catch (error) {
      // Certificates may have been renewed: the next request reads them again.
      this.#dispatcher = undefined;
      throw new Error(`${call.method} ${call.path}: ${causeOf(error)}`, { cause: error });
    }
  }
}

function statusMessage(body: string): string {
  try {
    return String((JSON.parse(body) as { message?: unknown }).message ?? body);
  } catch {
    return body.slice(0, 200);
  }
}

/** fetch wraps the reason: "fetch failed" alone helps nobody. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
