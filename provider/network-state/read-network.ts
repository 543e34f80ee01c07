import { ownerAnnotation, type PublicNetworkObject, routerName } from "../../model/index.js";
import type { ReadResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { fieldDrift } from "../foreign-fields.js";
import { clusterEntry, type LacksByNode, lacksByNode, type NodeLacks } from "../node-lack.js";
import { foreignObject } from "../object-owner.js";
import { type ClusterView, clusterView } from "./cluster-view.js";
import type { DeclaredNetworks } from "./declared-networks.js";
import { sessionGraceMs } from "./expected-network.js";
import { nodeOutputs } from "./node-outputs.js";
import type { NetworkStateInputs, NetworkStateOutputs } from "./state.js";

type PresentView = Exclude<ClusterView, { readonly kind: "absent" }>;

/**
 * What the cluster has of a network now. The returned inputs differ from the declared ones only where something
 * deviates: a changed object in `spec`, nodes in `drift`. An output that changed alone would show nowhere
 * (pulumi/pulumi#13679).
 * @throws KubernetesError when the cluster cannot be reached, or another one answers: that never means "gone"
 */
export async function readNetwork(
  environment: Environment,
  { secrets }: DeclaredNetworks,
  id: string,
  held: NetworkStateOutputs,
): Promise<ReadResult<NetworkStateInputs, NetworkStateOutputs>> {
  const { client } = await environment.connect(held.cluster, "state", held.clusterUid);
  const view = await clusterView(client, id, environment.now(), sessionGraceMs);
  if (view.kind === "absent") return { id: "" };
  const foreign = foreignObject(view.object, held.owner, held);
  if (foreign !== undefined) {
    environment.log(`network ${id} is no longer ours: ${foreign}`);
    return { id: "" };
  }
  const declared = held.declared ?? held.spec;
  secrets.learn({ ...held, spec: view.object.spec });
  const fields = Object.fromEntries(
    Object.entries(fieldDrift(view.object, declared)).map(([path, found]) => [path, secrets.hide(found)]),
  );
  const changed = { ...ownerDrift(view.object), ...fields };
  const inputs: NetworkStateInputs = { ...inputsOf(held), spec: view.object.spec, drift: deviations(view, changed) };
  const observed =
    view.kind === "present"
      ? nodeOutputs(view.expected, view.snapshot, view.found)
      : { nodes: held.nodes, nodeCount: held.nodeCount, ready: false };
  const { schemaVersion, clusterUid } = held;
  return {
    id,
    inputs,
    props: {
      ...inputs,
      ...observed,
      ...(Object.keys(fields).length === 0 ? {} : { declared }),
      schemaVersion,
      uid: view.object.metadata.uid ?? "",
      clusterUid,
    },
  };
}

/** Without it another stack could take the object over; an update writes it again. */
function ownerDrift({ metadata: { annotations } }: PublicNetworkObject): NodeLacks {
  return annotations?.[ownerAnnotation] === undefined ? { [`annotation ${ownerAnnotation}`]: "missing" } : {};
}

/**
 * Everything that deviates, by node.
 * @param changed what of the object is not as declared
 */
export function deviations(view: PresentView, changed: NodeLacks): LacksByNode {
  const { name, deletionTimestamp } = view.object.metadata;
  const cluster = {
    ...changed,
    ...(deletionTimestamp === undefined ? {} : { [`PublicNetwork ${name}`]: "being deleted" }),
    ...(view.kind === "noRouter" ? { [`VlanRouter ${routerName}`]: "missing" } : {}),
  };
  if (view.kind === "noRouter") return lacksByNode([[clusterEntry, cluster]]);
  return lacksByNode([
    [clusterEntry, cluster],
    ...Object.entries(view.found.lacks),
    ...view.found.away.map((node): [string, { readonly node: string }] => [node, { node: "NotReady" }]),
  ]);
}

function inputsOf(held: NetworkStateOutputs): NetworkStateInputs {
  const {
    schemaVersion: _,
    uid: _uid,
    nodes: _nodes,
    nodeCount: _count,
    ready: _ready,
    declared: _declared,
    ...inputs
  } = held;
  return inputs;
}
