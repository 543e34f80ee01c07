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
    readonly managedFields?: readonly { readonly time?: string }[];
  };
}

export interface ServiceL2StatusObject extends KubernetesObject {
  readonly status?: { readonly interfaces?: readonly { readonly name?: string }[] };
}

/** An Event of core/v1. */
export interface EventObject extends KubernetesObject {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string };
}

export interface ServiceObject extends KubernetesObject {
  readonly spec?: { readonly type?: string };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

export interface NodeObject extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface PodObject extends KubernetesObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly args?: readonly string[] }[];
  };
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
    statedAt: lastWritten(object),
    ...(speaker === undefined ? {} : { speaker }),
    interfaces: (object.status?.interfaces ?? []).flatMap(({ name: device }) => (device === undefined ? [] : [device])),
  };
}

/** For the watch: which events can be announcements. */
export const announcementSelector = "involvedObject.kind=Service,reason=nodeAssigned";

const announcementText = /^announcing from node "([^"]+)" with protocol "layer2"$/;

/**
 * Reads a claim from an event by which a speaker tells that it announces a Service (`SetBalancer` in MetalLB's
 * speaker/main.go, alike in v0.15 and v0.16); undefined for other events. An event cannot name a Service of another
 * namespace than its own: the API server sees to it.
 */
export function readAnnouncement(event: EventObject): Claim | undefined {
  const { involvedObject, message, reason, source } = event;
  const node = announcementText.exec(message ?? "")?.[1];
  if (
    node === undefined ||
    reason !== "nodeAssigned" ||
    source?.component !== "metallb-speaker" ||
    involvedObject?.kind !== "Service"
  ) {
    return undefined;
  }
  return {
    service: `${involvedObject.namespace}/${involvedObject.name}`,
    node,
    object: `${event.metadata.namespace}/${event.metadata.name}`,
    statedAt: lastWritten(event),
    interfaces: [],
  };
}

/**
 * The label of a status moves with the owner while the object stays, and a repeated event only counts up: their creation
 * says nothing. The API server notes the time of a manager's last change beside its fields; unlike the time in an event it
 * does not come from the clocks of nodes.
 */
function lastWritten({ metadata }: KubernetesObject): string {
  const times = (metadata.managedFields ?? []).flatMap(({ time }) => time ?? []);
  return [metadata.creationTimestamp ?? "", ...times].toSorted().at(-1) as string;
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
        : [{ uid, node, ready: isReady(pod) && deletionTimestamp === undefined, repeats: repeats(pod) }];
    });
}

/** The speaker's option, with one dash or two as Go's flag package takes them; 0 is off. */
const repetition = /^--?gratuitous-arp-interval(?:=(.*))?$/;

function repeats({ spec }: PodObject): boolean {
  return (spec?.containers ?? []).some(({ args = [] }) =>
    args.some((argument, index) => {
      const option = repetition.exec(argument);
      return option !== null && Number(option[1] ?? args[index + 1]) > 0;
    }),
  );
}

function isReady(object: NodeObject | PodObject): boolean {
  return (object.status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
}
