import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { FieldSet, PublicNetworkObject, RouterNodeObject, VlanRouterObject } from "../../model/index.js";

type Stored = PublicNetworkObject | RouterNodeObject | VlanRouterObject;

export interface FakeNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly podCIDRs?: readonly string[];
  /** Reason of the condition `NetworkUnavailable`, which is False. */
  readonly networkReason?: string;
  ready: boolean;
}

export interface FakePod {
  readonly name: string;
  readonly node: string;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: unknown;
}

interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions: { readonly uid: string };
}

type JsonPatch =
  | { readonly op: "replace" | "test"; readonly path: `/metadata/${string}`; readonly value: unknown }
  | { readonly op: "remove"; readonly path: `/spec/${string}` };

const agentNamespacePath = "/api/v1/namespaces/vlan-router";
const prefix = "/apis/vlan-router.io/v1alpha1/";

/**
 * As much of an API server as the provider uses, over real HTTP: the few paths, server-side apply with one conflict, the
 * deletion of objects with finalizers. It keeps no schema; the lab's tests run against the real one.
 */
export class FakeApiServer {
  clusterUid = "5f4dcc3b-0000-4000-8000-000000000001";
  readonly nodes: FakeNode[] = [];
  readonly requests: RecordedRequest[] = [];
  /** Set to another manager's name: the next apply conflicts with it. */
  conflictingManager: string | undefined;
  /** Plurals whose definition is not installed. */
  readonly undefinedKinds = new Set<string>();
  /** Plurals that the credentials may not read. */
  readonly forbiddenKinds = new Set<string>();
  /** Kinds of metallb.io/v1beta1, when MetalLB is installed. */
  metallbKinds: readonly string[] = [];
  /** Its IPAddressPools. */
  addressPools: readonly object[] = [];
  /** Pods of the agents' namespace while that is being deleted; absent when it has gone. */
  endingPods: FakePod[] | undefined;
  /** How many requests are still answered with 429, as after a definition was made. */
  busyFor = 0;
  /** What the agents do when an object was applied or deleted. */
  agents: (server: FakeApiServer) => void = () => undefined;
  /** What happens just before somebody reads what the agents report. */
  beforeReports: () => void = () => undefined;
  private readonly objects = new Map<string, Stored>();
  private readonly server: Server;
  private port = 0;

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request)
        .catch((error: unknown) => status(500, String(error)))
        .then(({ code, body }) => {
          response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
        });
    });
  }

  static async start(): Promise<FakeApiServer> {
    const fake = new FakeApiServer();
    await new Promise<void>((resolve) => fake.server.listen(0, "127.0.0.1", resolve));
    fake.port = (fake.server.address() as AddressInfo).port;
    return fake;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get kubeconfig(): string {
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "fake", cluster: { server: `http://127.0.0.1:${this.port}`, "insecure-skip-tls-verify": true } },
      ],
      users: [{ name: "fake", user: { token: "secret-token" } }],
      contexts: [{ name: "fake", context: { cluster: "fake", user: "fake" } }],
      "current-context": "fake",
    });
  }

  put(plural: string, object: Stored): void {
    this.objects.set(`${plural}/${object.metadata.name}`, {
      ...object,
      metadata: { uid: randomUUID(), ...object.metadata },
    } as Stored);
  }

  remove(plural: string, name: string): void {
    this.objects.delete(`${plural}/${name}`);
  }

  network(name: string): PublicNetworkObject | undefined {
    return this.objects.get(`publicnetworks/${name}`) as PublicNetworkObject | undefined;
  }

  networks(): readonly PublicNetworkObject[] {
    return this.list("publicnetworks") as readonly PublicNetworkObject[];
  }

  /** Names of the RouterNode objects. */
  reporting(): readonly string[] {
    return this.list("routernodes").map(({ metadata }) => metadata.name);
  }

  router(): VlanRouterObject | undefined {
    return this.objects.get("vlanrouters/default") as VlanRouterObject | undefined;
  }

  private list(plural: string): readonly Stored[] {
    return [...this.objects].filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object);
  }

  private async answer(request: IncomingMessage): Promise<{ readonly code: number; readonly body: unknown }> {
    const url = new URL(request.url ?? "/", "http://fake");
    const raw = await text(request);
    const body: unknown = raw === "" ? undefined : JSON.parse(raw);
    const method = request.method ?? "";
    const contentType = request.headers["content-type"] ?? "";
    this.requests.push({ method, path: url.pathname, query: url.searchParams, contentType, body });
    if (request.headers.authorization !== "Bearer secret-token") return status(401, "Unauthorized");
    if (url.pathname === "/api/v1/namespaces/kube-system") {
      return { code: 200, body: { metadata: { name: "kube-system", uid: this.clusterUid } } };
    }
    if (url.pathname.startsWith(agentNamespacePath) && this.endingPods !== undefined) {
      return this.endingNamespace(method, url.pathname.slice(agentNamespacePath.length), body);
    }
    if (url.pathname === "/api/v1/nodes") return { code: 200, body: { items: this.nodes.map(nodeObject) } };
    if (url.pathname === "/apis/metallb.io/v1beta1" && this.metallbKinds.length > 0) {
      return { code: 200, body: { kind: "APIResourceList", resources: this.metallbKinds.map((kind) => ({ kind })) } };
    }
    if (url.pathname === "/apis/metallb.io/v1beta1/ipaddresspools" && this.metallbKinds.length > 0) {
      return { code: 200, body: { items: this.addressPools } };
    }
    const [plural = "", name] = url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length).split("/") : [];
    if (!["publicnetworks", "routernodes", "vlanrouters"].includes(plural) || this.undefinedKinds.has(plural)) {
      return { code: 404, body: "404 page not found" };
    }
    if (plural === "routernodes" && method === "GET") this.beforeReports();
    if (this.forbiddenKinds.has(plural)) return status(403, `${plural} is forbidden`);
    if (this.busyFor > 0) {
      this.busyFor -= 1;
      return status(429, "storage is (re)initializing");
    }
    if (name === undefined) return { code: 200, body: { items: this.list(plural) } };
    const found = this.objects.get(`${plural}/${name}`);
    if (method === "PATCH" && contentType === "application/json-patch+json" && found !== undefined) {
      return this.patch(plural, found, body as readonly JsonPatch[]);
    }
    if (method === "PATCH") return this.apply(plural, name, found, body as Stored);
    if (found === undefined) return status(404, `${plural} "${name}" not found`);
    return method === "DELETE" ? this.delete(plural, name, found, body) : { code: 200, body: found };
  }

  private endingNamespace(method: string, path: string, body: unknown) {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    if (path === "") return { code: 200, body: { metadata: { name: "vlan-router", deletionTimestamp } } };
    const pods = this.endingPods ?? [];
    if (path === "/pods" && method === "GET") {
      const items = pods.map(({ name, node }) => ({
        metadata: { name, uid: `uid-${name}`, deletionTimestamp },
        spec: { nodeName: node },
      }));
      return { code: 200, body: { items } };
    }
    const name = path.replace("/pods/", "");
    const { gracePeriodSeconds, preconditions } = body as DeleteOptions;
    if (method !== "DELETE" || gracePeriodSeconds !== 0 || preconditions.uid !== `uid-${name}`) {
      return status(409, `${method} ${path}: ${JSON.stringify(body)}`);
    }
    this.endingPods = pods.filter((pod) => pod.name !== name);
    return { code: 200, body: {} };
  }

  private apply(plural: string, name: string, found: Stored | undefined, wanted: Stored) {
    if (this.conflictingManager !== undefined) {
      return status(409, `Apply failed with 1 conflict: conflict with "${this.conflictingManager}": .spec.routing`);
    }
    const { resourceVersion } = wanted.metadata;
    if (resourceVersion !== undefined && resourceVersion !== found?.metadata.resourceVersion)
      return status(409, modified);
    this.put(plural, {
      ...wanted,
      ...("spec" in wanted && found !== undefined ? { spec: withForeignFields(wanted.spec, found) } : {}),
      metadata: { ...found?.metadata, ...wanted.metadata, uid: found?.metadata.uid ?? randomUUID() },
    } as Stored);
    this.agents(this);
    return { code: 200, body: this.objects.get(`${plural}/${name}`) };
  }

  /**
   * JSON Patch (RFC 6902) of as much as the provider sends: fields of the metadata are replaced, fields of the specification
   * removed, both for the version that was read.
   */
  private patch(plural: string, found: Stored, operations: readonly JsonPatch[]) {
    const values = operations.flatMap((operation) => (operation.op === "remove" ? [] : [operation]));
    const metadata = Object.fromEntries(values.map(({ path, value }) => [path.replace("/metadata/", ""), value]));
    if (metadata.resourceVersion !== found.metadata.resourceVersion) return status(409, modified);
    const removed = operations.flatMap(({ op, path }) => (op === "remove" ? [path.replace("/spec/", "")] : []));
    const spec = Object.fromEntries(
      Object.entries("spec" in found ? (found.spec ?? {}) : {}).filter(([key]) => !removed.includes(key)),
    );
    const resourceVersion = found.metadata.resourceVersion && `${found.metadata.resourceVersion}0`;
    this.put(plural, { ...found, spec, metadata: { ...found.metadata, ...metadata, resourceVersion } } as Stored);
    return { code: 200, body: this.objects.get(`${plural}/${found.metadata.name}`) };
  }

  private delete(plural: string, name: string, found: Stored, body: unknown) {
    const { preconditions } = body as DeleteOptions;
    if (preconditions.uid !== found.metadata.uid) return status(409, "the UID in the precondition does not match");
    if ((found.metadata.finalizers ?? []).length === 0) this.remove(plural, name);
    else
      this.put(plural, {
        ...found,
        metadata: { ...found.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
      } as Stored);
    this.agents(this);
    return { code: 200, body: {} };
  }
}

const modified = "the object has been modified; please apply your changes to the latest version and try again";

/** Server-side apply removes no field that somebody else has written. */
function withForeignFields(wanted: unknown, { metadata, ...found }: Stored): unknown {
  return (metadata.managedFields ?? [])
    .filter(({ manager }) => manager !== "pulumi-vlan-router")
    .reduce<unknown>(
      (spec, { fieldsV1 }) => kept(spec, "spec" in found ? found.spec : {}, fieldsV1?.["f:spec"] ?? {}),
      wanted,
    );
}

function kept(wanted: unknown, found: unknown, fields: FieldSet): unknown {
  if (!isMapping(wanted) || !isMapping(found)) return wanted;
  const values = Object.entries(fields).flatMap(([step, inside]) => {
    const key = step.slice("f:".length);
    if (!(key in found)) return [];
    return [[key, key in wanted ? kept(wanted[key], found[key], inside) : found[key]] as const];
  });
  return { ...wanted, ...Object.fromEntries(values) };
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nodeObject({ name, labels, podCIDRs, networkReason, ready }: FakeNode): object {
  const network = { type: "NetworkUnavailable", status: "False", reason: networkReason };
  return {
    metadata: { name, labels: { "kubernetes.io/os": "linux", ...labels } },
    spec: { podCIDRs },
    status: {
      conditions: [
        { type: "Ready", status: ready ? "True" : "Unknown" },
        ...(networkReason === undefined ? [] : [network]),
      ],
    },
  };
}

function status(code: number, message: string) {
  return { code, body: { kind: "Status", apiVersion: "v1", status: "Failure", code, message } };
}
