import {
  apiGroup,
  apiVersion,
  type PublicNetworkObject,
  type RouterNodeObject,
  revisionName,
  routerName,
  type VlanRouterObject,
} from "../../../model/index.js";
import type { ClaimObservation } from "../addresses/claim.js";
import {
  announcementSelector,
  type EventObject,
  type KubernetesObject,
  type NodeObject,
  type PodObject,
  readAnnouncement,
  readClaim,
  readReadyNodes,
  readServices,
  readSpeakers,
  type ServiceL2StatusObject,
  type ServiceObject,
} from "../addresses/metallb-objects.js";
import { Coalesced } from "../core/coalesced.js";
import type { ApiClient } from "./api-client.js";
import type { AssignmentView } from "./carried-networks.js";
import { Collection } from "./collection.js";
import { LeaseElector } from "./lease-elector.js";
import { type Definition, NetworkDeletions } from "./network-deletions.js";
import { rollout } from "./rollout.js";
import { executeRolloutAction } from "./rollout-executor.js";
import { type ControllerRevisionObject, networkLabel, storedRevision } from "./stored-revision.js";

const group = `/apis/${apiGroup}/v1alpha1`;
const networkDefinition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/publicnetworks.${apiGroup}`;
/** Milliseconds: an edit of several objects becomes one roll-out. */
const rolloutDelay = 50;
/** Milliseconds after which what the API server refused is tried again. */
const retryDelay = 2_000;
/** Milliseconds between two looks of the Lease holder when nothing changes: that a node is away shows by silence. */
const rolloutPeriod = 15_000;

export interface ClusterSourceOptions {
  readonly client: ApiClient;
  readonly nodeName: string;
  /** Who we are on the Lease. */
  readonly identity: string;
  readonly namespace: string;
  readonly metallbNamespace: string;
  /** Something that a pass of the agent's loop reads has changed. */
  readonly onChange: () => void;
  readonly onError: (error: Error, doing: string) => void;
}

/** Everything that the agent reads of the API server, kept current, and the roll-out while this agent holds the Lease. */
export class ClusterSource {
  readonly #options: ClusterSourceOptions;
  readonly #ownRouterNode: Collection<RouterNodeObject & KubernetesObject>;
  /** Every node's object: only the holder of the Lease reads them, or each heartbeat would go to each agent. */
  #routerNodes: Collection<RouterNodeObject & KubernetesObject> | undefined;
  readonly #publicNetworks: Collection<PublicNetworkObject & KubernetesObject>;
  readonly #routers: Collection<VlanRouterObject & KubernetesObject>;
  readonly #revisions: Collection<ControllerRevisionObject>;
  readonly #nodes: Collection<NodeObject>;
  readonly #services: Collection<ServiceObject>;
  readonly #claims: Collection<ServiceL2StatusObject>;
  readonly #announcements: Collection<EventObject>;
  readonly #speakers: Collection<PodObject>;
  readonly #elector: LeaseElector;
  readonly #rollout: Coalesced;
  readonly #registration: Coalesced;
  readonly #deletions: NetworkDeletions;
  readonly #rolloutTimer: NodeJS.Timeout;
  #retry: NodeJS.Timeout | undefined;
  #registrationRetry: NodeJS.Timeout | undefined;

  constructor(options: ClusterSourceOptions) {
    this.#options = options;
    const { client, namespace, metallbNamespace } = options;
    const changed = (): void => {
      this.#registration.request();
      this.#rollout.request();
      options.onChange();
    };
    this.#rollout = new Coalesced(
      () => this.#rollOut(),
      rolloutDelay,
      (error) => options.onError(error, "rolling out"),
    );
    this.#registration = new Coalesced(
      () => this.#register(),
      rolloutDelay,
      (error) => options.onError(error, "creating the RouterNode"),
    );
    this.#rolloutTimer = setInterval(() => this.#rollout.request(), rolloutPeriod);
    this.#ownRouterNode = new Collection({
      client,
      path: `${group}/routernodes`,
      fieldSelector: `metadata.name=${options.nodeName}`,
      onChange: changed,
    });
    this.#deletions = new NetworkDeletions({
      readDefinition: () => client.request<Definition>({ method: "GET", path: networkDefinition }),
      onChange: changed,
      onError: options.onError,
      retryDelay,
    });
    this.#publicNetworks = new Collection({
      client,
      path: `${group}/publicnetworks`,
      onChange: () => {
        this.#deletions.look(this.#publicNetworks.items ?? []);
        changed();
      },
    });
    this.#routers = new Collection({ client, path: `${group}/vlanrouters`, onChange: changed });
    this.#revisions = new Collection({
      client,
      path: `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`,
      labelSelector: networkLabel,
      onChange: changed,
    });
    this.#nodes = new Collection({ client, path: "/api/v1/nodes", onChange: changed });
    this.#services = new Collection({ client, path: "/api/v1/services", onChange: options.onChange });
    this.#claims = new Collection({
      client,
      path: `/apis/metallb.io/v1beta1/namespaces/${metallbNamespace}/servicel2statuses`,
      onChange: options.onChange,
    });
    this.#announcements = new Collection({
      client,
      path: "/api/v1/events",
      fieldSelector: announcementSelector,
      onChange: options.onChange,
    });
    this.#speakers = new Collection({
      client,
      path: `/api/v1/namespaces/${metallbNamespace}/pods`,
      onChange: options.onChange,
    });
    this.#elector = new LeaseElector({
      client,
      namespace,
      identity: options.identity,
      onHeld: () => this.#rollout.request(),
      onError: (error) => options.onError(error, "holding the Lease"),
    });
  }

  /** What this node is told; undefined until every part of it was read once. */
  assignment(): AssignmentView | undefined {
    const { nodeName } = this.#options;
    const routerNodes = this.#ownRouterNode.items;
    const publicNetworks = this.#publicNetworks.items;
    const routers = this.#routers.items;
    const revisions = this.#revisions.items;
    const node = this.#nodes.items?.find(({ metadata }) => metadata.name === nodeName);
    if (
      routerNodes === undefined ||
      publicNetworks === undefined ||
      routers === undefined ||
      revisions === undefined ||
      node === undefined
    ) {
      return undefined;
    }
    const recorded = routers.find(({ metadata }) => metadata.name === routerName)?.status?.removed ?? [];
    return {
      assigned: routerNodes[0]?.spec ?? { networks: [] },
      revisions: new Map(revisions.map(({ metadata, data }) => [metadata.name, data])),
      publicNetworks,
      removedUids: [...recorded, ...this.#deletions.asked],
      nodeLabels: node.metadata.labels ?? {},
    };
  }

  claims(): ClaimObservation {
    const claims = this.#claims.items;
    // Without events MetalLB's statuses have to do, and the problem is told.
    const announcements = this.#announcements.items ?? (this.#announcements.state === "refused" ? [] : undefined);
    const services = this.#services.items;
    const nodes = this.#nodes.items;
    const speakers = this.#speakers.items;
    return {
      ...(claims === undefined || announcements === undefined
        ? {}
        : {
            claims: [
              ...claims.flatMap((object) => readClaim(object) ?? []),
              ...announcements.flatMap((event) => readAnnouncement(event) ?? []),
            ],
          }),
      ...(services === undefined ? {} : { services: readServices(services) }),
      ...(nodes === undefined ? {} : { readyNodes: readReadyNodes(nodes) }),
      ...(speakers === undefined ? {} : { speakers: readSpeakers(speakers) }),
    };
  }

  /**
   * Why claims cannot be followed, for people. Only what stays so until somebody does something: an API server that
   * restarts is nothing to report.
   */
  claimProblem(): string | undefined {
    const lasting = [this.#claims, this.#announcements, this.#services, this.#speakers].find(
      ({ state }) => state === "missing" || state === "refused",
    );
    return lasting?.problem;
  }

  /** The node's own object is there and has no status: it is new, or somebody replaced it. */
  lacksStatus(): boolean {
    const own = this.#ownObject();
    return own !== undefined && own.status === undefined;
  }

  /** Undefined until the node's own object is there. */
  routerNodeUid(): string | undefined {
    return this.#ownRouterNode.items?.[0]?.metadata.uid;
  }

  async close(): Promise<void> {
    clearInterval(this.#rolloutTimer);
    clearTimeout(this.#retry);
    clearTimeout(this.#registrationRetry);
    for (const collection of [
      this.#ownRouterNode,
      ...(this.#routerNodes === undefined ? [] : [this.#routerNodes]),
      this.#publicNetworks,
      this.#routers,
      this.#revisions,
      this.#nodes,
      this.#services,
      this.#claims,
      this.#announcements,
      this.#speakers,
    ]) {
      collection.close();
    }
    this.#deletions.close();
    await Promise.all([this.#rollout.close(), this.#registration.close()]);
    await this.#elector.close();
  }

  #ownObject(): RouterNodeObject | undefined {
    return this.#ownRouterNode.items?.[0];
  }

  /** The RouterNode belongs to its Node and goes with it. */
  async #register(): Promise<void> {
    const { client, nodeName } = this.#options;
    const node = this.#nodes.items?.find(({ metadata }) => metadata.name === nodeName);
    if (this.#ownRouterNode.state !== "synced" || this.#ownObject() !== undefined || node === undefined) {
      return;
    }
    const owner = { apiVersion: "v1", kind: "Node", name: nodeName, uid: node.metadata.uid };
    const body = {
      apiVersion,
      kind: "RouterNode",
      metadata: { name: nodeName, ownerReferences: [owner] },
      spec: { networks: [] },
    };
    try {
      await client.request({ method: "POST", path: `${group}/routernodes`, body });
    } catch (error) {
      this.#options.onError(error as Error, "creating the RouterNode");
      this.#registrationRetry = setTimeout(() => this.#registration.request(), retryDelay);
    }
  }

  async #rollOut(): Promise<void> {
    if (!this.#elector.holds()) {
      this.#routerNodes?.close();
      this.#routerNodes = undefined;
      return;
    }
    // Here, where holding is asked: a renewal that comes late loses the Lease for a moment and makes nobody its new holder.
    this.#routerNodes ??= new Collection({
      client: this.#options.client,
      path: `${group}/routernodes`,
      onChange: () => this.#rollout.request(),
    });
    const networks = this.#publicNetworks.items;
    const routers = this.#routers.items;
    const nodes = this.#nodes.items;
    const routerNodes = this.#routerNodes.items;
    const revisions = this.#revisions.items;
    if (
      networks === undefined ||
      routers === undefined ||
      nodes === undefined ||
      routerNodes === undefined ||
      revisions === undefined
    ) {
      return;
    }
    const router = routers.find(({ metadata }) => metadata.name === routerName);
    const ready = readReadyNodes(nodes);
    const actions = rollout({
      ...(router === undefined ? {} : { router }),
      networks,
      nodes: nodes.map(({ metadata }) => ({
        name: metadata.name,
        labels: metadata.labels ?? {},
        ready: ready.has(metadata.name),
      })),
      now: Date.now(),
      deletions: this.#deletions,
      routerNodes,
      revisions: revisions.map(storedRevision),
      revisionName,
    });
    for (const action of actions) {
      if (!this.#elector.holds()) {
        return;
      }
      try {
        await executeRolloutAction(this.#options.client, this.#options.namespace, action);
      } catch (error) {
        this.#options.onError(error as Error, `rolling out (${action.kind})`);
        // What follows may depend on what failed. A conflict heals by the watch; the rest is tried again.
        this.#retry = setTimeout(() => this.#rollout.request(), retryDelay);
        return;
      }
    }
  }
}
