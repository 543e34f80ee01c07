import { selects } from "../../../model/configuration/node-selector.js";
import {
  type NetworkRevisionData,
  type PublicNetworkObject,
  type RouterNodeSpec,
  sharedBy,
} from "../../../model/index.js";
import type { Carried, CarriedNetwork, CarryNotice, UnusableNetwork } from "../core/carried-network.js";
import { parseRevision } from "../core/parse-revision.js";

export interface NextCarried extends Carried {
  /** Absent when there are none. */
  readonly unusable?: readonly UnusableNetwork[];
}

/** What the API server says to this node, after every part was listed at least once. */
export interface AssignmentView {
  readonly assigned: RouterNodeSpec;
  /** ControllerRevisions by name. */
  readonly revisions: ReadonlyMap<string, NetworkRevisionData>;
  readonly publicNetworks: readonly PublicNetworkObject[];
  /** `VlanRouter.status.removed`, and uids whose deletion somebody asked for. */
  readonly removedUids: readonly string[];
  readonly nodeLabels: Readonly<Record<string, string>>;
}

/**
 * Which networks the node carries next. It carries exactly the revisions that `RouterNode.spec` names. It lets go of a
 * network only on positive evidence: somebody asked for the deletion of the `PublicNetwork` with that uid, its uid is
 * recorded as removed, or it exists, does not select this node and is not assigned to it. Mere absence (an etcd restored
 * from a backup, a CRD deleted by hand) keeps the network and says `Orphaned`.
 */
export function carryNext(previous: Carried, view: AssignmentView): NextCarried {
  const objects = new Map(
    view.publicNetworks.flatMap((object) => {
      const { uid } = object.metadata;
      return uid === undefined ? [] : [[uid, object] as const];
    }),
  );
  const assigned = new Map(view.assigned.networks.map((assignment) => [assignment.uid, assignment]));
  const held = new Map(previous.networks.map((network) => [network.uid, network]));

  const removed = new Set([...previous.removedUids, ...view.removedUids]);

  const networks: CarriedNetwork[] = [];
  const unusable: UnusableNetwork[] = [];
  for (const uid of new Set([...assigned.keys(), ...held.keys()])) {
    const object = objects.get(uid);
    const assignment = assigned.get(uid);
    const kept = held.get(uid);
    const unselected =
      assignment === undefined && object !== undefined && !selects(object.spec.nodeSelector, view.nodeLabels);
    if (removed.has(uid) || unselected) {
      continue;
    }
    const data = assignment === undefined ? undefined : view.revisions.get(assignment.revision);
    const usable = data?.uid === uid ? data : undefined;
    if (assignment !== undefined && usable !== undefined) {
      const { network: name } = usable;
      const { revision } = assignment;
      const parsed = parseRevision(usable);
      if (!parsed.ok) {
        const notice = revisionInvalid(name, revision, parsed.mistakes, kept);
        if (kept === undefined) {
          unusable.push({ name, uid, revision, notice });
        } else {
          networks.push(withNotice(kept, notice));
        }
        continue;
      }
      const next = { name, uid, revision, spec: parsed.spec, ...sharedBy(usable) };
      networks.push(object === undefined ? { ...next, notice: orphaned(name, uid) } : next);
    } else if (kept !== undefined) {
      networks.push(
        withNotice(
          kept,
          object === undefined
            ? orphaned(kept.name, uid)
            : assignment === undefined
              ? notAssigned(kept.name)
              : revisionMissing(kept, assignment.revision),
        ),
      );
    }
  }

  // Two uids of one name: the object was made anew while this node held the old one. The one that exists takes over.
  const byName = new Map<string, CarriedNetwork>();
  for (const network of networks) {
    const other = byName.get(network.name);
    if (other === undefined || (objects.has(network.uid) && !objects.has(other.uid))) {
      byName.set(network.name, network);
    }
  }

  return {
    networks: [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    removedUids: [...removed].filter((uid) => objects.has(uid) || assigned.has(uid) || held.has(uid)).sort(),
    ...(unusable.length === 0 ? {} : { unusable }),
  };
}

/**
 * The networks among `standing` (by the names that our interfaces bear) of which nobody can say whether this node should
 * carry them: they are not told to it, and no evidence lets it go of them either. So it is when the kept configuration is
 * lost and the holder of the Lease has not told the node yet.
 */
export function unaccountedNetworks(
  standing: readonly string[],
  carried: NextCarried,
  view: AssignmentView,
): readonly string[] {
  const told = new Set([...carried.networks, ...(carried.unusable ?? [])].map(({ name }) => name));
  return standing.filter((name) => {
    if (told.has(name)) return false;
    const object = view.publicNetworks.find(({ metadata }) => metadata.name === name);
    if (object === undefined) return true;
    const removed = view.removedUids.some((uid) => uid === object.metadata.uid);
    return !removed && selects(object.spec.nodeSelector, view.nodeLabels);
  });
}

function withNotice(network: CarriedNetwork, notice: CarryNotice): CarriedNetwork {
  return { ...network, notice };
}

function orphaned(name: string, uid: string): CarryNotice {
  return {
    type: "Orphaned",
    reason: "PublicNetworkMissing",
    message:
      `PublicNetwork "${name}" (uid ${uid}) is not in the cluster, but its deletion was never seen: the network keeps ` +
      "working. Create it again, or remove it for good by adding the uid to the status.removed of VlanRouter/default.",
  };
}

function notAssigned(name: string): CarryNotice {
  return {
    type: "Orphaned",
    reason: "NotAssigned",
    message: `PublicNetwork "${name}" selects this node, but its RouterNode does not list it (yet): the network keeps working.`,
  };
}

function revisionInvalid(
  name: string,
  revision: string,
  mistakes: readonly string[],
  kept: CarriedNetwork | undefined,
): CarryNotice {
  return {
    type: "RevisionInvalid",
    reason: "RevisionInvalid",
    message:
      `revision "${revision}" of network "${name}" cannot be carried: ${mistakes.join("; ")}; ` +
      (kept === undefined ? "nothing of it is set up." : `revision "${kept.revision}" stays.`),
  };
}

function revisionMissing(kept: CarriedNetwork, wanted: string): CarryNotice {
  return {
    type: "RevisionMissing",
    reason: "ControllerRevisionMissing",
    message: `ControllerRevision "${wanted}" of network "${kept.name}" cannot be read (yet): revision "${kept.revision}" stays.`,
  };
}
