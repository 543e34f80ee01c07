import {
  checkNetworks,
  hasUnknown,
  type Mistake,
  type NamedNetwork,
  networkSpec,
  ownerAnnotation,
  type PublicNetworkObject,
  parseNetwork,
  renderMistake,
  unknownValue,
} from "../../model/index.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { networkSummary } from "./network-summary.js";
import type { NetworkStateArguments, NetworkStateInputs } from "./state.js";

/**
 * Checks a network at preview and again at deployment, and adds its summary to the inputs, where preview shows them and
 * other resources can use them before anything is created.
 * @param olds what the state holds; nothing for a new network
 */
export async function checkNetwork(
  environment: Environment,
  olds: Partial<NetworkStateInputs>,
  news: NetworkStateArguments,
): Promise<CheckResult<NetworkStateArguments | NetworkStateInputs>> {
  // Without a router in the program nobody knows the pod networks here; the agents check against them again.
  const podNetworks = news.podNetworks ?? [unknownValue];
  const cluster = { podNetworks, ...(news.cni === undefined ? {} : { cni: news.cni }) };
  const parsed = parseNetwork(news.spec, { name: news.name, ...cluster });
  if (!parsed.ok) return { inputs: news, failures: parsed.mistakes.map(specFailure) };
  const spec = networkSpec(parsed.value);
  for (const warning of parsed.warnings) environment.log(`network ${news.name}: warning: ${renderMistake(warning)}`);
  const inputs: NetworkStateInputs = { ...news, ...networkSummary(spec), spec, drift: {} };
  const clashes = await clashesInCluster(environment, olds, { ...spec, name: news.name }, news);
  return { inputs, failures: clashes.map(specFailure) };
}

function specFailure(mistake: Mistake): { readonly property: string; readonly reason: string } {
  const { path, ...rest } = mistake;
  return {
    property: path === "" ? "spec" : `spec.${path}`,
    reason: renderMistake({ ...rest, path: path || "network" }),
  };
}

/**
 * Two programs do not see each other, so what is already in the cluster is asked: other stacks' networks and those made
 * by hand. Where the cluster cannot be asked, deployment will.
 */
async function clashesInCluster(
  environment: Environment,
  olds: Partial<NetworkStateInputs>,
  network: NamedNetwork,
  news: NetworkStateArguments,
): Promise<readonly Mistake[]> {
  // The cluster itself is made in the same update.
  if (hasUnknown(news.cluster)) return [];
  let objects: readonly PublicNetworkObject[];
  try {
    const { client } = await environment.connect(news.cluster, "program");
    objects = await client.publicNetworks();
  } catch (error) {
    environment.log(
      `network ${news.name}: warning: clashes with networks of other stacks are found only at deployment, because ` +
        `${error instanceof Error ? error.message : String(error)}`,
    );
    return [];
  }
  return clashesWith(
    network,
    objects.filter((object) => !isSameResource(object, olds, news)),
  );
}

/**
 * The network as it is before this update. A replacement is checked without its old inputs (pulumi/pulumi
 * pkg/resource/deploy/step_generator.go), so the owner counts too.
 */
function isSameResource(
  { metadata }: PublicNetworkObject,
  olds: Partial<NetworkStateInputs>,
  news: NetworkStateArguments,
): boolean {
  return (
    metadata.name === news.name || metadata.name === olds.name || metadata.annotations?.[ownerAnnotation] === news.owner
  );
}

/** Clashes of one network with others; paths are relative to the network. */
export function clashesWith(network: NamedNetwork, others: readonly PublicNetworkObject[]): readonly Mistake[] {
  const set = others.map(({ metadata, spec }): NamedNetwork => ({ ...spec, name: metadata.name }));
  // Of two that clash the later one is reported, so ours stands last.
  return checkNetworks([...set, network])
    .filter(({ path }) => path.startsWith(`${network.name}.`))
    .map((mistake) => ({ ...mistake, path: mistake.path.slice(network.name.length + 1) }));
}
