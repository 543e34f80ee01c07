import type { Claim, ServiceKey, SpeakerPod } from "./claim.js";

/**
 * The parts of Kubernetes objects that ownership reads. Everything may be missing: MetalLB creates its status with an
 * empty body and fills it milliseconds later (measured).
 */
export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
  };
}

export interface ServiceL2StatusObject extends KubernetesObject {
  readonly status?: { readonly interfaces?: readonly { readonly name?: string }[] };
}

export interface ServiceObject extends KubernetesObject {
  readonly spec?: { readonly type?: string };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

export interface NodeObject extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface PodObject extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** MetalLB's manifests label speakers with the first, its Helm chart with the second key. */
const componentLabels = ["component", "app.kubernetes.io/component"] as const;

/** Reads a claim; undefined for an object without MetalLB's labels, which states nothing. */
export function readClaim(object: ServiceL2StatusObject): Claim | undefined {
  const labels = object.metadata.labels ?? {};
  const node = labels["metallb.io/node"];
  const name = labels["metallb.io/service-name"];
  const namespace = labels["metallb.io/service-namespace"];
  if (node === undefined || name === undefined || namespace === undefined) {
    return undefined;
  }
  const speaker = object.metadata.ownerReferences?.find(({ kind }) => kind === "Pod")?.uid;
  return {
    service: `${namespace}/${name}`,
    node,
    object: object.metadata.name,
    createdAt: object.metadata.creationTimestamp ?? "",
    ...(speaker === undefined ? {} : { speaker }),
    interfaces: (object.status?.interfaces ?? []).flatMap(({ name: device }) => (device === undefined ? [] : [device])),
  };
}

/** Addresses of the LoadBalancer Services; host names are left out. */
export function readServices(objects: readonly ServiceObject[]): ReadonlyMap<ServiceKey, readonly string[]> {
  return new Map(
    objects
      .filter(({ spec }) => spec?.type === "LoadBalancer")
      .map(({ metadata, status }) => [
        `${metadata.namespace}/${metadata.name}`,
        (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip === undefined ? [] : [ip])),
      ]),
  );
}

export function readReadyNodes(objects: readonly NodeObject[]): ReadonlySet<string> {
  return new Set(objects.filter((node) => isReady(node)).map(({ metadata }) => metadata.name));
}

/** MetalLB's speakers among the pods of its namespace. A pod that is being deleted does not count as ready. */
export function readSpeakers(objects: readonly PodObject[]): readonly SpeakerPod[] {
  return objects
    .filter(({ metadata }) => componentLabels.some((label) => metadata.labels?.[label] === "speaker"))
    .flatMap((pod) => {
      const { uid, deletionTimestamp } = pod.metadata;
      const node = pod.spec?.nodeName;
      return uid === undefined || node === undefined
        ? []
        : [{ uid, node, ready: isReady(pod) && deletionTimestamp === undefined }];
    });
}

function isReady(object: NodeObject | PodObject): boolean {
  return (object.status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
}
