import { selects } from "../../../model/configuration/node-selector.js";
import {
  type AssignedRevision,
  isHeard,
  type NetworkRevisionData,
  nodesFinalizer,
  type PublicNetworkObject,
  type RouterNodeObject,
  sharedBy,
  type VlanRouterObject,
} from "../../../model/index.js";
import type { Deletions } from "./network-deletions.js";

/** Removed networks that are remembered for nodes that were away then, 36 bytes each. */
const rememberedRemovals = 256;
/** Versions of a network that are kept to go back to. */
const keptRevisions = 3;

/** A ControllerRevision of ours. */
export interface StoredRevision {
  readonly name: string;
  /** Order among the versions of one network. */
  readonly revision: number;
  readonly data: NetworkRevisionData;
}

export interface ClusterNode {
  readonly name: string;
  /** Kubernetes hears from its kubelet. */
  readonly ready: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the Lease holder sees of the cluster. */
export interface RolloutState {
  /** Absent: nobody said which pod networks there are, so no version can be made. */
  readonly router?: VlanRouterObject;
  readonly networks: readonly PublicNetworkObject[];
  readonly deletions: Deletions;
  readonly nodes: readonly ClusterNode[];
  readonly routerNodes: readonly RouterNodeObject[];
  readonly revisions: readonly StoredRevision[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Name of the ControllerRevision that holds this content. */
  readonly revisionName: (data: NetworkRevisionData) => string;
}

export type RolloutAction =
  | { readonly kind: "add-finalizer"; readonly network: PublicNetworkObject }
  | { readonly kind: "create-revision"; readonly revision: StoredRevision }
  | {
      readonly kind: "assign";
      readonly node: string;
      /** Of the RouterNode as it was read: a former holder's late write must not undo what came after it. */
      readonly generation?: number;
      readonly networks: readonly AssignedRevision[];
    }
  /** Uids for `VlanRouter.status.removed`, oldest first. */
  | { readonly kind: "record-removed"; readonly router: VlanRouterObject; readonly removed: readonly string[] }
  | { readonly kind: "remove-finalizer"; readonly network: PublicNetworkObject }
  | { readonly kind: "delete-revision"; readonly name: string };

/**
 * What the Lease holder does next, in this order: finalizers before anything can be carried, versions before they are
 * assigned, and the finalizer of a network whose deletion was asked for only after no node lists or is told it any more,
 * but those that are away and for which its removal is recorded.
 *
 * Every selected node is told the current version at once. The gates (one node first, then maxUnavailable, only while
 * the earlier ones are healthy) come later; this is the one place that decides who may carry what.
 */
export function rollout(state: RolloutState): readonly RolloutAction[] {
  const actions: RolloutAction[] = [];
  const current = new Map<string, AssignedRevision>();

  for (const network of sorted(state.networks, ({ metadata }) => metadata.name)) {
    const { name, uid, deletionTimestamp, finalizers } = network.metadata;
    if (uid === undefined || deletionTimestamp !== undefined || state.router === undefined) {
      continue;
    }
    if (!(finalizers ?? []).includes(nodesFinalizer)) {
      actions.push({ kind: "add-finalizer", network });
    }
    const data: NetworkRevisionData = {
      network: name,
      uid,
      spec: network.spec,
      ...sharedBy(state.router.spec),
    };
    const revisionName = state.revisionName(data);
    if (!state.revisions.some((stored) => stored.name === revisionName)) {
      const newest = Math.max(0, ...revisionsOf(state, uid).map(({ revision }) => revision));
      actions.push({ kind: "create-revision", revision: { name: revisionName, revision: newest + 1, data } });
    }
    current.set(uid, { name, uid, revision: revisionName });
  }

  for (const routerNode of sorted(state.routerNodes, ({ metadata }) => metadata.name)) {
    const node = state.nodes.find(({ name }) => name === routerNode.metadata.name);
    if (node === undefined) {
      continue;
    }
    const networks = assignments(routerNode, node, state, current);
    if (JSON.stringify(networks) !== JSON.stringify(routerNode.spec.networks.map(canonicalAssignment))) {
      const { generation } = routerNode.metadata;
      actions.push({ kind: "assign", node: node.name, ...(generation === undefined ? {} : { generation }), networks });
    }
  }

  for (const network of sorted(state.networks, ({ metadata }) => metadata.name)) {
    const { uid, deletionTimestamp, finalizers } = network.metadata;
    if (uid === undefined || deletionTimestamp === undefined || !(finalizers ?? []).includes(nodesFinalizer)) {
      continue;
    }
    if (state.deletions.swept.has(uid)) {
      // The definition cannot end, and nobody can make it anew, while one of its objects waits for the nodes.
      actions.push({ kind: "remove-finalizer", network });
      continue;
    }
    if (!state.deletions.asked.has(uid)) continue;
    const holders = state.routerNodes.filter(
      (routerNode) => isOnNode(state, routerNode, uid) || isTold(state, routerNode, uid),
    );
    if (holders.some((routerNode) => !isAway(state, routerNode))) {
      continue;
    }
    if (holders.length > 0) {
      // Nobody knows when they come back: the network is gone without them, and they are told when they do.
      const removed = state.router?.status?.removed ?? [];
      if (state.router === undefined) continue;
      if (!removed.includes(uid)) {
        const recorded = [...removed, uid].slice(-rememberedRemovals);
        actions.push({ kind: "record-removed", router: state.router, removed: recorded });
        continue;
      }
    }
    actions.push({ kind: "remove-finalizer", network });
    actions.push(...revisionsOf(state, uid).map(({ name }) => ({ kind: "delete-revision", name }) as const));
  }

  return [...actions, ...surplusRevisions(state, current)];
}

/**
 * What one node is told. A network that is being deleted stays as it was told until the node has let go of it; one whose
 * object is missing stays too, because absence is no order to remove.
 */
function assignments(
  routerNode: RouterNodeObject,
  node: ClusterNode,
  state: RolloutState,
  current: ReadonlyMap<string, AssignedRevision>,
): readonly AssignedRevision[] {
  const next = new Map<string, AssignedRevision>();
  for (const told of routerNode.spec.networks) {
    const object = state.networks.find(({ metadata }) => metadata.uid === told.uid);
    const deleting = object?.metadata.deletionTimestamp !== undefined;
    const removed = state.router?.status?.removed?.includes(told.uid) ?? false;
    const replaced = state.networks.some(({ metadata }) => metadata.name === told.name && metadata.uid !== told.uid);
    const keep =
      object === undefined
        ? !removed && !replaced
        : deleting
          ? isOnNode(state, routerNode, told.uid)
          : !current.has(told.uid);
    if (keep) {
      next.set(told.uid, canonicalAssignment(told));
    }
  }
  for (const [uid, revision] of current) {
    const object = state.networks.find(({ metadata }) => metadata.uid === uid);
    if (selects(object?.spec.nodeSelector, node.labels)) {
      next.set(uid, revision);
    }
  }
  return sorted([...next.values()], ({ name, uid }) => `${name} ${uid}`);
}

/** Neither Kubernetes nor we have heard from it lately. A kubelet that is down alone does not stop the agent. */
function isAway({ nodes, now }: RolloutState, { metadata, status }: RouterNodeObject): boolean {
  const node = nodes.find(({ name }) => name === metadata.name);
  return node?.ready === false && (status === undefined || !isHeard(status.heartbeatTime, now));
}

/** A RouterNode whose Node is gone counts as clean: the machine left the cluster and cannot report any more. */
function isOnNode(state: RolloutState, routerNode: RouterNodeObject, uid: string): boolean {
  return (
    state.nodes.some(({ name }) => name === routerNode.metadata.name) &&
    (routerNode.status?.networks ?? []).some((network) => network.uid === uid)
  );
}

function isTold(state: RolloutState, routerNode: RouterNodeObject, uid: string): boolean {
  return (
    state.nodes.some(({ name }) => name === routerNode.metadata.name) &&
    routerNode.spec.networks.some((network) => network.uid === uid)
  );
}

/** Versions beyond the newest three of each network, and all of networks that are gone, that no node is told or carries. */
function surplusRevisions(
  state: RolloutState,
  current: ReadonlyMap<string, AssignedRevision>,
): readonly RolloutAction[] {
  const inUse = new Set([
    ...[...current.values()].map(({ revision }) => revision),
    ...state.routerNodes.flatMap(({ spec }) => spec.networks.map(({ revision }) => revision)),
    ...state.routerNodes.flatMap(({ status }) => (status?.networks ?? []).map(({ revision }) => revision)),
  ]);
  const known = new Set(state.networks.map(({ metadata }) => metadata.uid));
  const ofGone = state.revisions.filter(({ name, data }) => !known.has(data.uid) && !inUse.has(name));
  const surplus = [...current.keys()].flatMap((uid) => {
    const newestFirst = [...revisionsOf(state, uid)].sort((one, other) => other.revision - one.revision);
    return newestFirst.slice(keptRevisions).filter(({ name }) => !inUse.has(name));
  });
  return [...ofGone, ...surplus].map(({ name }) => ({ kind: "delete-revision", name }));
}

function revisionsOf(state: RolloutState, uid: string): readonly StoredRevision[] {
  return state.revisions.filter(({ data }) => data.uid === uid);
}

/** The API server may return further fields; only these are ours. */
function canonicalAssignment({ name, uid, revision }: AssignedRevision): AssignedRevision {
  return { name, uid, revision };
}

function sorted<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  return [...items].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
