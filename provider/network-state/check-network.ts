import {
  configurationCommands,
  hasUnknown,
  type Mistake,
  type NamedNetwork,
  networkSpec,
  ownerAnnotation,
  type PublicNetworkObject,
  parseNetwork,
  type RouterSpec,
  renderMistake,
  sharedBy,
  unknownValue,
} from "../../model/index.js";
import { askCluster } from "../ask-cluster.js";
import { type CheckFailure, checkFailure, mistakeFailure } from "../check-failure.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { foreignObject, isOfSameStack } from "../object-owner.js";
import { addressPool, addressPoolMistakes, missingPoolKinds, overlappingPool } from "./address-pool.js";
import { adoptionRefusal, isAdopted } from "./adoption.js";
import { asWritten } from "./argument-path.js";
import { changeLines, heldNetwork } from "./change-lines.js";
import { clashesWith, clashesWithOrphans, movingClashes } from "./cluster-clashes.js";
import { type ClusterFacts, clusterFacts } from "./cluster-facts.js";
import { undeclaredCniWarnings } from "./cni-warnings.js";
import type { SecretTexts } from "./concealed.js";
import type { DeclaredNetwork, DeclaredNetworks, HeldNetwork } from "./declared-networks.js";
import { missingRouter } from "./missing-router.js";
import { networkSummary } from "./network-summary.js";
import { type NodeClashes, nodeClashes } from "./node-clashes.js";
import { clashesInProgram, poolClashInProgram } from "./program-clashes.js";
import type { NetworkStateArguments, NetworkStateInputs } from "./state.js";

/**
 * Checks a network at preview and again at deployment, and adds its summary to the inputs, where preview shows them and
 * other resources can use them before anything is created. Two programs do not see each other, so the cluster is asked for what
 * is already there: other stacks' networks and those made by hand, what nodes still hold, and the VlanRouter.
 * @param program its other networks, which the cluster may not have yet
 * @param olds what the state holds; nothing for a new network
 */
export async function checkNetwork(
  environment: Environment,
  program: DeclaredNetworks,
  olds: Partial<NetworkStateInputs>,
  news: NetworkStateArguments,
): Promise<CheckResult<NetworkStateArguments | NetworkStateInputs>> {
  const pooled = news.addressPool !== undefined;
  const answer = await askCluster(environment, news.cluster, olds, (client) => clusterFacts(client, pooled));
  const { checked, facts } = answer;
  const shared = sharedSpec(olds, news, facts);
  const context = { name: news.name, ...(shared ?? { podNetworks: [unknownValue] }) };
  const held = program.heldOf(news.owner, olds);
  const failures = [
    ...answer.failures,
    ...(facts === undefined ? [] : [...unmetNeeds(news, facts), ...foreignClaim(news, facts, held)]),
  ];
  const parsed = parseNetwork(news.spec, context);
  const shownMistake = (mistake: Mistake) => program.secrets.hideIn(asWritten(mistake, news.spec), news);
  const asFailure = (mistake: Mistake) => mistakeFailure(shownMistake(mistake));
  const refused = (found: readonly CheckFailure[]) =>
    found.map(({ property, reason }) => ({ property, reason: program.secrets.hide(reason) }));
  if (!parsed.ok) return { inputs: news, failures: refused([...failures, ...parsed.mistakes.map(asFailure)]) };
  const network = { ...parsed.value, name: news.name };
  const spec = networkSpec(network);
  program.secrets.learn({ ...news, spec });
  const onNodes = facts === undefined ? noClashes : nodeClashes(network, olds.spec, facts);
  const warnings = [
    ...[...parsed.warnings, ...onNodes.standing].map((mistake) => renderMistake(shownMistake(mistake))),
    ...(facts === undefined
      ? []
      : [...undeclaredCniWarnings(news.spec, context, facts.nodes), ...poolWarnings(news, facts)]),
  ];
  for (const warning of warnings) warn(environment, news, warning);
  const { addressPool: wantedPool, ...wanted } = news;
  const inputs: NetworkStateInputs = {
    ...wanted,
    ...fromCluster(network, news, shared, program.secrets),
    ...networkSummary(spec),
    ...(wantedPool === undefined ? {} : { addressPool: addressPool(spec, wantedPool) }),
    spec,
    ...checked,
    drift: {},
  };
  const { cluster, owner } = news;
  const others = program.declare({ cluster, owner, network, ...checked, ...poolOf(inputs) });
  const met = facts === undefined ? nothingMet : clashesInCluster(network, others, facts, olds, news);
  program.givers.set(owner, met.givers);
  const inCluster = met.clashes;
  const inProgram = clashesInProgram(network, others).filter(
    (clash) => !inCluster.some((known) => isSame(known, clash)),
  );
  const clashes = [...inCluster, ...inProgram, ...onNodes.brought];
  const adoption = adoptionFailures(inputs, facts, held);
  const found = [
    ...failures,
    ...adoption,
    ...poolFailures(inputs, withoutOwnPool(facts, olds), others),
    ...clashes.map(asFailure),
  ];
  if (found.length === 0) tellChange(environment, olds, news, { network, shared }, facts);
  return { inputs, failures: refused(found) };
}

function tellChange(
  environment: Environment,
  olds: Partial<NetworkStateInputs>,
  { podNetworks: declared }: NetworkStateArguments,
  { network, shared }: { readonly network: NamedNetwork; readonly shared: RouterSpec | undefined },
  facts: ClusterFacts | undefined,
): void {
  const held = heldNetwork(olds);
  if (held === undefined || shared === undefined) return;
  // What the cluster's own router says has reached the nodes without this update.
  const before = declared === undefined ? { ...held, shared } : held;
  for (const line of changeLines(before, { network, shared }, facts?.networks ?? [])) environment.log(line);
}

const noClashes: NodeClashes = { brought: [], standing: [] };

/** What the network needs of the cluster and the cluster does not have. */
function unmetNeeds({ podNetworks }: NetworkStateArguments, facts: ClusterFacts): readonly CheckFailure[] {
  return podNetworks === undefined && facts.router === undefined ? [checkFailure("router", missingRouter)] : [];
}

/** No failure: an update may install MetalLB before the network. Creation waits for it, and refuses then. */
function poolWarnings({ addressPool: pool }: NetworkStateArguments, facts: ClusterFacts): readonly string[] {
  const missing = pool === undefined ? undefined : missingPoolKinds(facts.metallbKinds);
  return missing === undefined ? [] : [missing];
}

/**
 * The object of this name, where it is not this resource's. Once deployment has refused a resource without an alias, the state
 * holds its component, and an alias no longer moves anything: so preview must be the one to refuse it.
 */
function foreignClaim(
  news: NetworkStateArguments,
  { networks }: ClusterFacts,
  held: HeldNetwork | undefined,
): readonly CheckFailure[] {
  const { name, owner } = news;
  const existing = networks.find(({ metadata }) => metadata.name === name);
  if (existing === undefined || hasUnknown(owner) || isAdopted(existing, news)) return [];
  const reason = foreignObject(existing, owner, held?.name === name ? held : undefined);
  return reason === undefined ? [] : [checkFailure("name", reason)];
}

/** Why an object that would be taken over cannot be; one that the state holds is updated as any other. */
function adoptionFailures(
  inputs: NetworkStateInputs,
  facts: ClusterFacts | undefined,
  held: HeldNetwork | undefined,
): readonly CheckFailure[] {
  const existing = facts?.networks.find(({ metadata }) => metadata.name === inputs.name);
  if (held?.name === inputs.name || existing === undefined || !isAdopted(existing, inputs)) return [];
  const reason = adoptionRefusal(existing, inputs.spec);
  return reason === undefined ? [] : [checkFailure("adopt", reason)];
}

function warn(environment: Environment, { name }: NetworkStateArguments, line: string): void {
  environment.log(`network ${name}: warning: ${line}`);
}

/** What is in the cluster and in the program is told once. */
function isSame(one: Mistake, other: Mistake): boolean {
  return one.code === other.code && one.path === other.path;
}

function poolOf({ addressPool: pool }: NetworkStateInputs): Pick<DeclaredNetwork, "pool"> {
  return pool === undefined ? {} : { pool };
}

/** The pool of a network that an alias moves is still its former owner's. */
function withoutOwnPool(
  facts: ClusterFacts | undefined,
  { owner }: Partial<NetworkStateInputs>,
): ClusterFacts | undefined {
  if (facts === undefined || owner === undefined) return facts;
  return { ...facts, addressPools: facts.addressPools.filter((pool) => pool.owner !== owner) };
}

function poolFailures(
  { addressPool: pool, spec, owner, name }: NetworkStateInputs,
  facts: ClusterFacts | undefined,
  others: readonly DeclaredNetwork[],
): readonly CheckFailure[] {
  if (pool === undefined) return [];
  const mistakes = addressPoolMistakes(spec, pool).map((mistake) =>
    mistakeFailure({ ...mistake, path: `addressPool.${mistake.path}` }),
  );
  const overlaps = [
    facts === undefined ? undefined : overlappingPool(pool, owner, facts.addressPools),
    poolClashInProgram(name, pool, others),
  ];
  return [
    ...mistakes,
    ...overlaps.flatMap((reason) => (reason === undefined ? [] : [checkFailure("addressPool", reason)])),
  ];
}

/**
 * What the networks of the cluster share: as the program says where it declares the VlanRouter, else as the cluster has it,
 * or had it when it could be asked last.
 */
function sharedSpec(
  olds: Partial<NetworkStateInputs>,
  news: NetworkStateArguments,
  facts: ClusterFacts | undefined,
): RouterSpec | undefined {
  const source = news.podNetworks !== undefined ? news : facts === undefined ? olds : facts.router?.spec;
  return source?.podNetworks === undefined ? undefined : sharedBy({ ...source, podNetworks: source.podNetworks });
}

/** What a reviewer needs and the program could not show, because it does not declare the VlanRouter. */
function fromCluster(
  network: NamedNetwork,
  news: NetworkStateArguments,
  shared: RouterSpec | undefined,
  secrets: SecretTexts,
): Partial<NetworkStateInputs> {
  if (news.podNetworks !== undefined || shared === undefined) return {};
  const commands = configurationCommands(network, shared.podNetworks, shared.cni);
  return { ...shared, commands: hasUnknown(commands) ? commands : commands.map((command) => secrets.hide(command)) };
}

/** What a network meets in the cluster. */
interface MetNetworks {
  readonly clashes: readonly Mistake[];
  /** Names of networks that give up in this update what the network takes. */
  readonly givers: readonly string[];
}

const nothingMet: MetNetworks = { clashes: [], givers: [] };

/**
 * Of networks that the program has declared by now it says what they will be: `clashesInProgram` compares with that, and deployment
 * waits until they are. What comes later in the program, or goes with this update, may wait for this network in turn.
 */
function clashesInCluster(
  network: NamedNetwork,
  declared: readonly DeclaredNetwork[],
  facts: ClusterFacts,
  olds: Partial<NetworkStateInputs>,
  news: NetworkStateArguments,
): MetNetworks {
  const others = facts.networks.filter((object) => !isSameResource(object, olds, news));
  const {
    changing = [],
    own = [],
    foreign = [],
  } = Object.groupBy(others, ({ metadata }) => {
    if (!isOfSameStack(metadata, news.owner, olds.owner)) return "foreign";
    const isDeclared = declared.some(
      (other) => other.network.name === metadata.name || other.owner === metadata.annotations?.[ownerAnnotation],
    );
    return isDeclared ? "changing" : "own";
  });
  const clashes = [
    ...clashesWith(network, foreign),
    ...movingClashes(network, own).map((clash) => ({ ...clash, remedy: `${clash.remedy}; ${beforehand}` })),
    ...clashesWithOrphans(network, facts),
  ];
  const givers = changing.filter((object) => movingClashes(network, [object]).length > 0);
  return { clashes, givers: givers.map(({ metadata }) => metadata.name) };
}

const beforehand =
  "where this program changes that network so that both can stand, give this one dependsOn: [that network]; where it removes it, do that in an update of its own";

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
