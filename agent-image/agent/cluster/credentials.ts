import type { Agent as HttpAgent } from "node:http";

/** How one request reaches the API server. */
export interface Access {
  /** Such as `https://10.96.0.1:443`. */
  readonly server: string;
  /** Keeps connections, with the server's and the client's certificates. */
  readonly agent: HttpAgent;
  readonly headers: Readonly<Record<string, string>>;
}

/** Who the agent is for the API server, and where that is. */
export interface Credentials {
  /** @throws where they are missing or not to be read */
  access(): Promise<Access>;
  /** Something failed: certificates may have been renewed, so what was read is read again. */
  forget(): void;
}
