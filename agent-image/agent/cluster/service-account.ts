import { readFile } from "node:fs/promises";
import { Agent } from "node:https";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Access, Credentials } from "./credentials.js";

/** Where the kubelet mounts it (kubernetes.io/docs/tasks/run-application/access-api-from-pod). */
const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The pod's service account. */
export class ServiceAccount implements Credentials {
  readonly #server: string;
  readonly #folder: string;
  #agent: Agent | undefined;

  /** @throws outside a pod */
  constructor(environment: Readonly<Record<string, string | undefined>> = process.env, folder = FOLDER) {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
    if (!host || !port)
      throw new Error(
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is no pod; name a kubeconfig with --kubeconfig, " +
          "or a configuration with --config",
      );
    this.#server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
    this.#folder = folder;
  }

  async access(): Promise<Access> {
    this.#agent ??= new Agent({ keepAlive: true, ca: await this.#read("ca.crt") });
    // The kubelet renews it long before its hour is over.
    const token = (await this.#read("token")).trim();
    return { server: this.#server, agent: this.#agent, headers: { Authorization: `Bearer ${token}` } };
  }

  forget(): void {
    // Those in use end with their requests.
    for (const idle of Object.values(this.#agent?.freeSockets ?? {})) for (const socket of idle ?? []) socket.destroy();
    this.#agent = undefined;
  }

  #read(name: string): Promise<string> {
    return readFile(join(this.#folder, name), "utf8");
  }
}
