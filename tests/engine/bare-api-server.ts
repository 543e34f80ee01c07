import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../lab/index.js";
import { childrenOf } from "../../lab/processes/index.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import type { ApiRequest, ApiResponse } from "./api-request.js";

const requestProgram = join(__dirname, "api-request.js");
const etcdUrl = "http://127.0.0.1:2379";
export const adminToken = "admin-token";
const agentToken = "agent-token";
const deployerToken = "deployer-token";
/** Those whose rights are what RBAC says, by user name: the agent's service account, and one who runs the engine. */
export const limitedUsers = { agent: "system:serviceaccount:vlan-router:agent", deployer: "deployer" } as const;

/** Users by token; the first may do everything. */
const tokens = `${adminToken},admin,1,"system:masters"
${agentToken},${limitedUsers.agent},2,"system:serviceaccounts,system:authenticated"
${deployerToken},${limitedUsers.deployer},3,"system:authenticated"
`;

/** Who asked for what, without bodies (kubernetes.io/docs/tasks/debug/debug-cluster/audit, "Audit policy"). */
const auditPolicy = JSON.stringify({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", users: Object.values(limitedUsers) }, { level: "None" }],
});

/** A request for a resource, as RBAC sees it. */
export interface AuditedRequest {
  readonly verb: string;
  readonly apiGroup: string;
  /** With its subresource: `routernodes/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** HTTP status of the answer. */
  readonly code: number | undefined;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** An API server on etcd, without controllers and nodes: what the agent's edge to the cluster needs. */
export class BareApiServer {
  /** Milliseconds since the epoch, of the last start. */
  startedAt = 0;
  private apiServer: ChildProcess | undefined;

  private constructor(
    private readonly namespaces: TestNamespaces,
    private readonly place: string,
    private readonly directory: string,
    private readonly address: string,
  ) {}

  /** @param address of the place, where the agents reach it */
  static async start(namespaces: TestNamespaces, place: string, address: string): Promise<BareApiServer> {
    const directory = await mkdtemp(join(tmpdir(), "vlan-router-api-"));
    const server = new BareApiServer(namespaces, place, directory, address);
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(join(directory, "key"), privateKey.export({ type: "pkcs8", format: "pem" }));
    await writeFile(join(directory, "public"), publicKey.export({ type: "spki", format: "pem" }));
    await writeFile(join(directory, "tokens"), tokens);
    await writeFile(join(directory, "audit-policy"), auditPolicy);
    server.spawn("etcd", [`--data-dir=${join(directory, "etcd")}`, "--unsafe-no-fsync", "--log-level=error"]);
    await server.startApiServer();
    return server;
  }

  async startApiServer(): Promise<void> {
    const file = (name: string) => join(this.directory, name);
    this.apiServer = this.spawn("kube-apiserver", [
      `--etcd-servers=${etcdUrl}`,
      `--bind-address=${this.address}`,
      "--secure-port=6443",
      `--cert-dir=${file("certificates")}`,
      `--token-auth-file=${file("tokens")}`,
      `--audit-policy-file=${file("audit-policy")}`,
      `--audit-log-path=${file("audit.log")}`,
      "--authorization-mode=RBAC",
      "--disable-admission-plugins=ServiceAccount",
      `--service-account-key-file=${file("public")}`,
      `--service-account-signing-key-file=${file("key")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-cluster-ip-range=10.96.0.0/16",
    ]);
    await waitFor("kube-apiserver to be ready", async () => (await this.request({ path: "/readyz" })).status === 200, {
      timeout: 120_000,
      interval: 200,
    });
    this.startedAt = Date.now();
  }

  /** As if the machine had failed: the agents' connections are cut, nothing is said. */
  async stopApiServer(): Promise<void> {
    const { apiServer } = this;
    if (apiServer?.pid === undefined) {
      return;
    }
    const ended = new Promise((resolve) => apiServer.once("exit", resolve));
    for (const pid of childrenOf(apiServer.pid)) {
      process.kill(pid, "SIGKILL");
    }
    await ended;
  }

  /** One request as administrator; any answer is returned, none is status 0. */
  async request(request: ApiRequest): Promise<ApiResponse> {
    const { stdout } = await this.namespaces.exec(this.place, [process.execPath, requestProgram], {
      input: JSON.stringify({ server: this.server, token: adminToken, ...request }),
    });
    return JSON.parse(stdout) as ApiResponse;
  }

  /** @throws when the server refuses */
  async do<Body>(request: ApiRequest): Promise<Body> {
    const { status, body } = await this.request(request);
    if (status < 200 || status > 299) {
      throw new Error(`${request.method ?? "GET"} ${request.path}: ${status} ${JSON.stringify(body)}`);
    }
    return body as Body;
  }

  /** Removes an object behind the API server's back, as restoring an older backup of etcd would. */
  async forget(key: string): Promise<void> {
    const { deleted } = await this.etcd<{ readonly deleted?: string }>("deleterange", { key: encoded(key) });
    if (deleted !== "1") throw new Error(`etcd: ${key} was not there`);
  }

  /** Keeps an object as etcd has it; the result puts it back, with its uid, behind the API server's back. */
  async kept(key: string): Promise<() => Promise<void>> {
    const found = await this.etcd<{ readonly kvs?: readonly { readonly value: string }[] }>("range", {
      key: encoded(key),
    });
    const value = found.kvs?.[0]?.value;
    if (value === undefined) throw new Error(`etcd: ${key} is not there`);
    return async () => {
      await this.etcd("put", { key: encoded(key), value });
    };
  }

  private async etcd<Answer>(call: "deleterange" | "range" | "put", body: object): Promise<Answer> {
    const answer = await this.request({ server: etcdUrl, method: "POST", path: `/v3/kv/${call}`, body });
    if (answer.status !== 200) throw new Error(`etcd: ${call}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Answer;
  }

  /** The API server's whole store by key; the texts of an object stand in its value as they are. */
  async stored(): Promise<ReadonlyMap<string, string>> {
    // A zero byte is the first key as well as the end behind the last one (etcd.io, "etcd API", range).
    const all = Buffer.from([0]).toString("base64");
    const { kvs } = await this.do<{ kvs: readonly { key: string; value: string }[] }>({
      server: etcdUrl,
      method: "POST",
      path: "/v3/kv/range",
      body: { key: all, range_end: all },
    });
    const text = (base64: string) => Buffer.from(base64, "base64").toString("latin1");
    return new Map(kvs.map(({ key, value }) => [text(key), text(value)]));
  }

  /** For the agent's service account. */
  agentKubeconfig(): string {
    return this.kubeconfig("agent", agentToken);
  }

  /** What somebody has asked for since the server's first start. */
  async requestsOf(who: keyof typeof limitedUsers): Promise<readonly AuditedRequest[]> {
    const log = await readFile(join(this.directory, "audit.log"), "utf8");
    return log
      .split("\n")
      .filter((line) => line !== "")
      .flatMap((line) => {
        const { verb, user, objectRef, responseStatus } = JSON.parse(line) as AuditEvent;
        if (objectRef === undefined || user.username !== limitedUsers[who]) return [];
        const { resource, subresource, apiGroup = "", namespace } = objectRef;
        const full = subresource === undefined ? resource : `${resource}/${subresource}`;
        return [{ verb, apiGroup, resource: full, namespace, code: responseStatus?.code }];
      });
  }

  /** For one who deploys and has no rights at first. */
  deployerKubeconfig(): string {
    return this.kubeconfig("deployer", deployerToken);
  }

  /** For whoever deploys. */
  adminKubeconfig(): string {
    return this.kubeconfig("admin", adminToken);
  }

  /** Files only: the processes end with their namespaces. */
  async end(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  private kubeconfig(name: string, token: string): string {
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster: { server: this.server, "insecure-skip-tls-verify": true } }],
      users: [{ name, user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user: name } }],
      "current-context": "test",
    });
  }

  private get server(): string {
    return `https://${this.address}:6443`;
  }

  private spawn(program: string, args: readonly string[]): ChildProcess {
    return this.namespaces.spawn(this.place, [locateToolchain().path(program), ...args], { stdio: "ignore" });
  }
}

const encoded = (key: string): string => Buffer.from(key).toString("base64");
