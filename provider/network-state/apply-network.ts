import { type PublicNetworkObject, routerName } from "../../model/index.js";
import type { Environment } from "../environment.js";
import { fieldDrift, foreignFields, surplusDrift } from "../foreign-fields.js";
import { errorCodes } from "../kubernetes/error-codes.js";
import type { KubernetesClient } from "../kubernetes/kubernetes-client.js";
import { describeLacks } from "../node-lack.js";
import { foreignObject } from "../object-owner.js";
import { PartialFailure } from "../partial-failure.js";
import { PlainError } from "../plain-error.js";
import { describeAway, isTolerated } from "../unreachable-nodes.js";
import { type Look, waitUntil } from "../wait-until.js";
import { metallbVersion, missingPoolKinds } from "./address-pool.js";
import { adoptedFields, adoptionRefusal, isAdopted } from "./adoption.js";
import { awaitGivers } from "./await-givers.js";
import { type ClusterView, clusterView } from "./cluster-view.js";
import { desiredObject } from "./desired-object.js";
import { missingRouter } from "./missing-router.js";
import type { NetworkLacks } from "./network-lacks.js";
import { nodeOutputs } from "./node-outputs.js";
import type { NetworkStateInputs, NetworkStateOutputs } from "./state.js";

/** MetalLB's definitions are served a moment after the update that installs it has made them; who forgot it waits no longer. */
const poolKindsWaitMs = 30_000;
/** While creating, a session that is not Established yet always counts. */
const noGraceMs = 0;

/**
 * Applies the PublicNetwork object and waits until every selected node carries it. Doing it again changes nothing.
 * @param givers names of networks of the program that give up what this one takes, in the same update
 * @param held what the state holds of the network; nothing when it is created
 * @throws PartialFailure for whatever goes wrong once the object is there, a node that does not carry it in time above all
 */
export async function applyNetwork(
  environment: Environment,
  inputs: NetworkStateInputs,
  givers: readonly string[] = [],
  held?: NetworkStateOutputs,
): Promise<{ readonly id: string; readonly outs: NetworkStateOutputs }> {
  const { name } = inputs;
  const { client, clusterUid } = await environment.connect(inputs.cluster, "program", held?.clusterUid);
  const end = environment.now() + inputs.timeoutSeconds * 1000;
  await requireRouter(client);
  if (inputs.addressPool !== undefined) await requirePoolKinds(environment, client, inputs.name);
  await awaitGivers(environment, client, inputs, givers, end - environment.now());
  const existing = await requireFreeName(environment, client, inputs, held, end);
  if (existing !== undefined && held === undefined && isAdopted(existing, inputs)) {
    await adopt(environment, client, existing, inputs);
  }
  const object = await client.applyPublicNetwork(
    desiredObject(inputs),
    await takenBack(client, existing, inputs, held),
  );
  // From here on the object exists, so the state must hold it whatever happens: a resource that fails plainly is one that
  // the engine does not know, and its next attempt would find a stranger's object.
  let seen: ClusterView | undefined;
  const partial = (summary: string, details: readonly string[]) =>
    new PartialFailure(summary, name, { ...outputsOf(inputs, object, clusterUid, seen) }, details);
  const foreign = foreignFields(object, inputs.spec);
  if (foreign !== undefined) throw partial(foreign, []);
  const waited = await waitUntil<undefined>(environment, end - environment.now(), async () => {
    seen = await clusterView(client, name, environment.now(), () => noGraceMs);
    return judge(environment, inputs, seen);
  }).catch((error: unknown) => {
    const reason = error instanceof PlainError ? error.message : errorCodes(error).join(": ");
    throw partial(`network ${name} is declared, but its nodes could not be watched to the end: ${reason}`, []);
  });
  if (waited.done) return { id: name, outs: outputsOf(inputs, object, clusterUid, seen) };
  throw partial(
    `network ${name} is declared, but not every node carries it after ${inputs.timeoutSeconds} s; the nodes keep trying, and "pulumi up" waits for them again`,
    seen?.kind === "present" ? missingOf(seen.found, inputs) : [waited.last],
  );
}

/** Before the owner is written, so that an attempt that ends in between begins with the same object again. */
async function adopt(
  environment: Environment,
  client: KubernetesClient,
  existing: PublicNetworkObject,
  { name, spec }: NetworkStateInputs,
): Promise<void> {
  const refusal = adoptionRefusal(existing, spec);
  if (refusal !== undefined) throw new PlainError(refusal);
  await client.setFieldManagers(existing, adoptedFields(existing.metadata.managedFields ?? []));
  environment.log(`network ${name}: takes over the PublicNetwork that is there, as it is`);
}

async function requireRouter(client: KubernetesClient): Promise<void> {
  if ((await client.vlanRouter()) !== undefined) return;
  throw new PlainError(missingRouter);
}

/** The pool's objects are made after the network; without their kinds nothing is. */
async function requirePoolKinds(environment: Environment, client: KubernetesClient, name: string): Promise<void> {
  const waited = await waitUntil<undefined>(environment, poolKindsWaitMs, async () => {
    const missing = missingPoolKinds(await client.kinds(metallbVersion));
    if (missing === undefined) return { done: true, value: undefined };
    return { done: false, progress: `network ${name}: waiting for MetalLB: ${missing}` };
  });
  if (waited.done) return;
  throw new PlainError(`${waited.last} (not there after ${poolKindsWaitMs / 1000} s)`);
}

/**
 * The version of the object whose foreign values this update may overwrite: they are those that a refresh found, so preview has
 * shown them as what the update undoes. Whatever else somebody wrote is a conflict. Fields that somebody added are made ours,
 * because server-side apply removes no others; removing them by themselves would make the nodes carry a version that nobody
 * declared.
 */
async function takenBack(
  client: KubernetesClient,
  existing: PublicNetworkObject | undefined,
  { spec }: NetworkStateInputs,
  held: NetworkStateOutputs | undefined,
): Promise<string | undefined> {
  if (existing === undefined || held?.declared === undefined) return undefined;
  if (Object.keys(fieldDrift(existing, held.spec)).length > 0) return undefined;
  const ours =
    Object.keys(surplusDrift(existing, spec)).length > 0
      ? await client.setFieldManagers(existing, adoptedFields(existing.metadata.managedFields ?? []))
      : existing;
  return ours.metadata.resourceVersion;
}

/**
 * Refuses an object of somebody else, and waits for one of our own that is still being deleted.
 * @returns our own object, when it is there
 */
async function requireFreeName(
  environment: Environment,
  client: KubernetesClient,
  inputs: NetworkStateInputs,
  held: NetworkStateOutputs | undefined,
  end: number,
): Promise<PublicNetworkObject | undefined> {
  const { name, owner, timeoutSeconds } = inputs;
  const waited = await waitUntil<PublicNetworkObject | undefined>(environment, end - environment.now(), async () => {
    const existing = await client.publicNetwork(name);
    if (existing === undefined) return { done: true, value: undefined };
    const refusal = isAdopted(existing, inputs) ? undefined : foreignObject(existing, owner, held);
    if (refusal !== undefined) throw new PlainError(refusal);
    if (existing.metadata.deletionTimestamp === undefined) return { done: true, value: existing };
    return { done: false, progress: `network ${name}: waiting until the nodes have removed the deleted one` };
  });
  if (waited.done) return waited.value;
  throw new PlainError(
    `${waited.last}: not done after ${timeoutSeconds} s; see "kubectl get publicnetwork ${name} -o yaml"`,
  );
}

function judge(environment: Environment, inputs: NetworkStateInputs, view: ClusterView): Look<undefined> {
  const { name } = inputs;
  if (view.kind === "absent") {
    throw new PlainError(`PublicNetwork ${name} was deleted by somebody else while its nodes were awaited`);
  }
  if (view.kind === "noRouter") {
    throw new PlainError(
      `VlanRouter "${routerName}" was deleted by somebody else while the nodes of ${name} were awaited`,
    );
  }
  const { lacks, away } = view.found;
  const total = nodeOutputs(view.expected, view.snapshot, view.found).nodeCount;
  const carrying = total - Object.keys(lacks).length - away.length;
  const counted = `network ${name}: ${carrying} of ${total} nodes carry it`;
  if (missingOf(view.found, inputs).length > 0) {
    return { done: false, progress: [counted, ...describeLacks(lacks), ...awayOf(view.found, inputs)].join("; ") };
  }
  for (const line of awayOf(view.found, inputs)) environment.log(`network ${name}: ${line}`);
  environment.log(counted);
  return { done: true, value: undefined };
}

type Tolerance = Pick<NetworkStateInputs, "tolerateUnreachable">;

/** What is still waited for. */
function missingOf(found: NetworkLacks, inputs: Tolerance): readonly string[] {
  return [
    ...describeLacks(found.lacks),
    ...(isTolerated(found.away, inputs.tolerateUnreachable) ? [] : awayOf(found, inputs)),
  ];
}

function awayOf({ away }: NetworkLacks, { tolerateUnreachable }: Tolerance): readonly string[] {
  return describeAway(away, tolerateUnreachable, "it gets the network when it returns");
}

function outputsOf(
  inputs: NetworkStateInputs,
  object: PublicNetworkObject,
  clusterUid: string,
  view: ClusterView | undefined,
): NetworkStateOutputs {
  const observed =
    view?.kind === "present"
      ? nodeOutputs(view.expected, view.snapshot, view.found)
      : { nodes: {}, nodeCount: 0, ready: false };
  return { ...inputs, ...observed, schemaVersion: 1, uid: object.metadata.uid ?? "", clusterUid };
}
