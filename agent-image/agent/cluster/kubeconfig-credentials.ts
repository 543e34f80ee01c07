import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Access, Credentials } from "./credentials.js";

/** The current context of a kubeconfig file, with all ways to log in that client-node knows. */
export class KubeconfigCredentials implements Credentials {
  #config: Promise<KubeConfig> | undefined;

  constructor(readonly file: string) {}

  async access(): Promise<Access> {
    this.#config ??= load(this.file);
    const config = await this.#config;
    const cluster = config.getCurrentCluster();
    if (cluster === null) {
      throw new Error("the kubeconfig names no current cluster; set its current-context");
    }
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const { agent, auth, headers = {} } = options;
    if (agent === undefined || typeof agent === "boolean") {
      throw new Error("client-node made no agent for HTTPS");
    }
    // client-node makes one that closes each connection.
    Object.assign(agent, { keepAlive: true });
    const basic = auth ? { Authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
    return { server: cluster.server, agent, headers: { ...(headers as Record<string, string>), ...basic } };
  }

  forget(): void {
    this.#config = undefined;
  }
}

async function load(file: string): Promise<KubeConfig> {
  // Loaded only here: it costs 80 MB and a second, which a pod need not spend.
  const { KubeConfig: Config } = await import("@kubernetes/client-node");
  const config = new Config();
  config.loadFromFile(file);
  return config;
}
