/** A program: one HTTP request, described on standard input, from inside a network namespace. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** JSON of the object itself when absent. */
  readonly accept?: string;
  /** `https://ADDRESS:PORT`; the API server's when absent. */
  readonly server?: string;
  readonly token?: string;
}

export interface ApiResponse {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly body: unknown;
}

async function send({ server, path, method, body, contentType, accept, token }: ApiRequest): Promise<ApiResponse> {
  const url = new URL(`${server}${path}`);
  const request = (url.protocol === "http:" ? httpRequest : httpsRequest)(url, {
    method: method ?? "GET",
    // The test's API server signs its own certificate.
    rejectUnauthorized: false,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": contentType ?? "application/json",
      accept: accept ?? "application/json",
    },
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve) => {
    request.on("error", (error) => resolve({ status: 0, body: error.message }));
    request.on("response", async (response) => {
      const answer = await text(response);
      resolve({ status: response.statusCode ?? 0, body: answer.startsWith("{") ? JSON.parse(answer) : answer });
    });
  });
}

if (require.main === module) {
  void text(process.stdin)
    .then((input) => send(JSON.parse(input) as ApiRequest))
    .then((response) => process.stdout.write(JSON.stringify(response)));
}
