import { setTimeout } from "node:timers/promises";
import {
  CoreV1Api,
  CustomObjectsApi,
  createConfiguration,
  type KubeConfig,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
  type V1Node,
  type V1Pod,
} from "@kubernetes/client-node";
import {
  apiGroup,
  apiVersion,
  type ObjectMeta,
  ownerAnnotation,
  type PublicNetworkObject,
  type RouterNodeObject,
  routerName,
  type VlanRouterObject,
} from "../../model/index.js";
import { fieldManager } from "./field-manager.js";
import type { ClusterNode, EndingPod, IpAddressPool, KubernetesClient } from "./kubernetes-client.js";
import { KubernetesError, kubernetesError } from "./kubernetes-error.js";
import { networkedBy } from "./networked-by.js";
import { serverAddress } from "./server-address.js";

/** An API server that accepts the connection and then says nothing must not use up a whole deadline. */
const requestTimeoutMs = 20_000;
/** As client-go does: ten attempts, a second apart, which is what the server's Retry-After asks for. */
const busyAttempts = 10;
const busyPauseMs = 1_000;
const version = apiVersion.slice(apiGroup.length + 1);

interface PoolObject {
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly spec: { readonly addresses: readonly string[] };
}

type Plural = "publicnetworks" | "routernodes" | "vlanrouters";

/**
 * The cluster behind the current context of a kubeconfig.
 * @throws KubernetesError when the context names no API server
 */
export function apiClient(config: KubeConfig): KubernetesClient {
  const server = serverAddress(config);
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(server.url, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        pre: async (request) => {
          request.setSignal(AbortSignal.timeout(requestTimeoutMs));
          return request;
        },
        post: async (response) => response,
      },
    ],
  });
  const core = new CoreV1Api(configuration);
  const custom = new CustomObjectsApi(configuration);

  async function send<T>(request: string, call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (cause) {
        const error = kubernetesError(request, server.shown, cause);
        if (error.kind !== "busy" || attempt === busyAttempts) throw error;
        await setTimeout(busyPauseMs);
      }
    }
  }

  async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
      throw error;
    }
  }

  function get<T>(plural: Plural, name: string): Promise<T | undefined> {
    const target = { group: apiGroup, version, plural, name };
    return unlessMissing(send(`get ${plural}/${name}`, () => custom.getClusterCustomObject(target) as Promise<T>));
  }

  async function list<T>(plural: Plural): Promise<readonly T[]> {
    const target = { group: apiGroup, version, plural };
    const found = await unlessMissing(
      send(`list ${plural}`, () => custom.listClusterCustomObject(target) as Promise<{ readonly items: readonly T[] }>),
    );
    return found?.items ?? [];
  }

  async function remove(plural: Plural, request: string, name: string, uid: string): Promise<void> {
    const target = { group: apiGroup, version, plural, name, body: { preconditions: { uid } } };
    await unlessMissing(send(request, () => custom.deleteClusterCustomObject(target)));
  }

  return {
    async clusterUid() {
      const namespace = await send("get namespaces/kube-system", () => core.readNamespace({ name: "kube-system" }));
      const uid = namespace.metadata?.uid;
      if (uid === undefined)
        throw new KubernetesError("refused", `${server.shown}: the namespace kube-system has no uid`);
      return uid;
    },
    async nodes() {
      const { items } = await send("list nodes", () => core.listNode());
      return items.map(clusterNode);
    },
    vlanRouter: () => get<VlanRouterObject>("vlanrouters", routerName),
    routerNodes: () => list<RouterNodeObject>("routernodes"),
    publicNetworks: () => list<PublicNetworkObject>("publicnetworks"),
    publicNetwork: (name) => get<PublicNetworkObject>("publicnetworks", name),
    async kinds(groupVersion) {
      const [group = "", groupsVersion = ""] = groupVersion.split("/", 2);
      const found = await unlessMissing(
        send(`list the kinds of ${groupVersion}`, () => custom.getAPIResources({ group, version: groupsVersion })),
      );
      return (found?.resources ?? []).map(({ kind }) => kind);
    },
    async addressPools() {
      const target = { group: "metallb.io", version: "v1beta1", plural: "ipaddresspools" };
      const found = await unlessMissing(
        send(
          "list ipaddresspools",
          () => custom.listClusterCustomObject(target) as Promise<{ readonly items: readonly PoolObject[] }>,
        ),
      );
      return (found?.items ?? []).map(ipAddressPool);
    },
    async applyPublicNetwork(object, takenBack) {
      const { name } = object.metadata;
      const force = takenBack !== undefined;
      const body = force ? { ...object, metadata: { ...object.metadata, resourceVersion: takenBack } } : object;
      const target = { group: apiGroup, version, plural: "publicnetworks", name };
      try {
        return await send(`apply PublicNetwork ${name}`, () =>
          custom.patchClusterCustomObject(
            { ...target, body, fieldManager, fieldValidation: "Strict", force },
            setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
          ),
        );
      } catch (error) {
        if (!(error instanceof KubernetesError) || error.kind !== "conflict") throw error;
        throw new KubernetesError(
          "conflict",
          `${error.message}. Somebody else wrote these fields since they were last looked at, and what nobody has seen is not ` +
            `overwritten: "pulumi up --refresh" shows them and takes them back; or take their values over into the program`,
        );
      }
    },
    async setFieldManagers({ metadata: { name, resourceVersion } }, managers) {
      const target = { group: apiGroup, version, plural: "publicnetworks", name };
      // The server compares a version that a patch writes with that of the object.
      const body = [
        { op: "replace", path: "/metadata/managedFields", value: managers },
        { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
      ];
      return send(`take over the fields of PublicNetwork ${name}`, () =>
        custom.patchClusterCustomObject(
          { ...target, body, fieldManager },
          setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
        ),
      );
    },
    async removeRouterFields({ metadata: { name, resourceVersion } }, fields) {
      const target = { group: apiGroup, version, plural: "vlanrouters", name };
      const body = [
        { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
        ...fields.map((field) => ({ op: "remove", path: `/${field.replaceAll(".", "/")}` })),
      ];
      await send(`remove ${fields.join(", ")} of VlanRouter ${name}`, () =>
        custom.patchClusterCustomObject(
          { ...target, body, fieldManager },
          setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
        ),
      );
    },
    deletePublicNetwork: (name, uid) => remove("publicnetworks", `delete PublicNetwork ${name}`, name, uid),
    deleteRouterNode: (name, uid) => remove("routernodes", `delete RouterNode ${name}`, name, uid),
    async endingPods(namespace) {
      const found = await unlessMissing(
        send(`get namespaces/${namespace}`, () => core.readNamespace({ name: namespace })),
      );
      if (found?.metadata?.deletionTimestamp === undefined) return undefined;
      const { items } = await send(`list pods of ${namespace}`, () => core.listNamespacedPod({ namespace }));
      return items.flatMap(endingPod);
    },
    async forgetPod(namespace, { name, uid }) {
      const body = { gracePeriodSeconds: 0, preconditions: { uid } };
      await unlessMissing(send(`delete pod ${name}`, () => core.deleteNamespacedPod({ name, namespace, body })));
    },
  };
}

function ipAddressPool({ metadata: { name, namespace, annotations }, spec }: PoolObject): IpAddressPool {
  const owner = annotations?.[ownerAnnotation];
  return { name, namespace, addresses: spec.addresses, ...(owner === undefined ? {} : { owner }) };
}

function endingPod({ metadata, spec }: V1Pod): readonly EndingPod[] {
  const { name, uid, deletionTimestamp } = metadata ?? {};
  if (name === undefined || uid === undefined || deletionTimestamp === undefined) return [];
  return [{ name, uid, ...(spec?.nodeName === undefined ? {} : { node: spec.nodeName }) }];
}

function clusterNode({ metadata, spec, status }: V1Node): ClusterNode {
  const conditions = status?.conditions ?? [];
  const cni = networkedBy(conditions);
  return {
    name: metadata?.name ?? "",
    labels: metadata?.labels ?? {},
    ready: conditions.some((condition) => condition.type === "Ready" && condition.status === "True"),
    podNetworks: spec?.podCIDRs ?? [],
    ...(cni === undefined ? {} : { cni }),
  };
}
