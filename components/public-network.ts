import * as pulumi from "@pulumi/pulumi";
import {
  configurationCommands,
  hasUnknown,
  type Mistake,
  type NamedNetwork,
  networkSpec,
  parseNetwork,
  type RouterSpec,
  type RulePriorities,
  sharedBy,
  unknownValue,
} from "../model/index.js";
import type { AddressPool } from "../provider/network-state/address-pool.js";
import { networkSummary } from "../provider/network-state/network-summary.js";
import type { NodeOutput } from "../provider/network-state/node-outputs.js";
import { type AddressPoolArgs, createAddressPool, defaultMetallbNamespace } from "./address-pool.js";
import { amongOptions, checkArguments, networkArguments } from "./check-arguments.js";
import { type Cluster, type ClusterArgs, resolveCluster } from "./cluster-args.js";
import { givenProvider, ownProvider } from "./cluster-provider.js";
import { dynamicResourceOptions } from "./dynamic-resource-options.js";
import { mistakesError } from "./mistakes-error.js";
import type { NetworkArgs } from "./network-args.js";
import { type AddressPoolInputs, NetworkState } from "./network-state.js";
import { type NodesArgs, toleranceOf } from "./nodes-args.js";
import { ownerOf } from "./owner-of.js";
import { lateIdentities } from "./plain-identities.js";
import { secretPaths } from "./secret-paths.js";
import type { VlanRouter } from "./vlan-router.js";
import { withUnknowns } from "./with-unknowns.js";

/** An agent applies a network in seconds; the rest is for peers that are slow to answer. */
const defaultTimeoutSeconds = 120;

export type PublicNetworkArgs = NetworkArgs & PublicNetworkOptions;

export interface PublicNetworkOptions {
  /** The cluster's VlanRouter, when this program declares it: its agents are there before the network, and leave after it. */
  readonly router?: VlanRouter;
  /** The cluster, for a program that does not declare its VlanRouter. Defaults to the router's. */
  readonly cluster?: ClusterArgs;
  /** How long creation, update and deletion wait for the nodes. Defaults to 120 seconds. */
  readonly timeoutSeconds?: number;
  readonly nodes?: NodesArgs;
  /**
   * Takes over the PublicNetwork object of this name where no stack owns it, made with kubectl for example: it stays as it is,
   * and must be as this program says. Defaults to false.
   */
  readonly adopt?: boolean;
  /**
   * MetalLB's IPAddressPool and L2Advertisement for the network, made after it stands: `true`, or what differs from the
   * defaults. Needs MetalLB in the cluster. Defaults to none.
   */
  readonly addressPool?: boolean | AddressPoolArgs;
}

/**
 * One public network: declared once, carried by every node that its `nodeSelector` names.
 *
 * Preview shows its numbers and the commands that make up its state on a node, before anything is touched; `up` waits until
 * every node carries it; refresh shows what deviates.
 */
export class PublicNetwork extends pulumi.ComponentResource {
  /** Routing table: that of the VNI or VLAN id where a subnet has it, else the least; whatever the order of the subnets. */
  declare public readonly routingTable: pulumi.Output<number>;
  declare public readonly interfaceName: pulumi.Output<string>;
  /** Port of the network's GoBGP API on each node's 127.0.0.1; undefined without BGP. */
  declare public readonly gobgpPort: pulumi.Output<number | undefined>;
  /** Priorities of the policy rules by prefix. */
  declare public readonly rulePriorities: pulumi.Output<Readonly<Record<string, RulePriorities>>>;
  /** Undefined without BGP. */
  declare public readonly routeTarget: pulumi.Output<string | undefined>;
  /** MetalLB's pool; undefined unless one was asked for. Services name it in the annotation `metallb.io/address-pool`. */
  declare public readonly addressPool: pulumi.Output<PoolOutput | undefined>;
  /** Prefix of the first subnet, in the order of `routing`. */
  declare public readonly cidr: pulumi.Output<string>;
  /** Its gateway. */
  declare public readonly gateway: pulumi.Output<string>;
  /** Addresses that customers can have, in all subnets together. Above 2^53, as in an IPv6 /64, the number is rounded. */
  declare public readonly capacity: pulumi.Output<number>;
  /** What each node really has, as of the last update or refresh: above 200 nodes, only those that deviate. */
  declare public readonly nodes: pulumi.Output<Readonly<Record<string, NodeOutput>>>;
  /** Nodes that should carry the network. */
  declare public readonly nodeCount: pulumi.Output<number>;
  /** Whether all of them do. */
  declare public readonly ready: pulumi.Output<boolean>;

  /**
   * @throws ResourceError that lists every mistake in what is known of the arguments
   */
  constructor(name: string, args: PublicNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    const component = `PublicNetwork "${name}"`;
    const mistakes = checkArguments(args, networkArguments);
    if (args === undefined || args === null) throw mistakesError(component, mistakes);
    const { router, cluster, timeoutSeconds = defaultTimeoutSeconds, nodes, adopt, addressPool, ...network } = args;
    const known = parseKnown(component, network, router, mistakes);
    const tolerance = toleranceOf(nodes);
    super("vlan-router:index:PublicNetwork", name, shownInputs(network, known, router), opts);

    const onCluster = clusterOf(component, router, cluster);
    const owner = ownerOf(this);
    const pool = addressPool === true ? {} : addressPool === false ? undefined : addressPool;
    const secrets = secretPaths({ ...network, addressPool: pool });
    const state = new NetworkState(
      `${name}-state`,
      {
        cluster: onCluster,
        name: known.name,
        owner,
        spec: network,
        ...(router === undefined ? {} : sharedBy(router)),
        timeoutSeconds,
        ...tolerance,
        ...(adopt === undefined ? {} : { adopt }),
        ...(pool === undefined ? {} : { addressPool: poolInputs(pool, known, router) }),
        ...(secrets === undefined ? {} : { secrets }),
      },
      dynamicResourceOptions(this, router === undefined ? [] : [router.rollout]),
    );
    // What the provider leaves out is unknown to every preview that creates or updates the resource.
    this.addressPool = pool === undefined ? pulumi.output(undefined) : state.addressPool.apply(shownPool);
    if (pool !== undefined) {
      const shared = cluster === undefined ? router?.clusterProvider : undefined;
      const own = { component: this, name: `${name}-cluster`, cluster: onCluster, after: state };
      const provider = givenProvider(this) ?? shared ?? ownProvider(own);
      createAddressPool(name, state.addressPool.apply(requirePool), pool.autoAssign, owner, {
        parent: this,
        provider,
        dependsOn: [state],
      });
    }
    this.cidr = state.cidr;
    this.gateway = state.gateway;
    this.capacity = state.capacity;
    this.routingTable = state.routingTable;
    this.interfaceName = state.interfaceName;
    this.gobgpPort = speaksBgp(known) ? state.gobgpPort : pulumi.output(undefined);
    this.rulePriorities = state.rulePriorities;
    this.routeTarget = speaksBgp(known) ? state.routeTarget : pulumi.output(undefined);
    this.nodes = state.nodes;
    this.nodeCount = state.nodeCount;
    this.ready = state.ready;
    this.registerOutputs({
      routingTable: this.routingTable,
      interfaceName: this.interfaceName,
      gobgpPort: this.gobgpPort,
      rulePriorities: this.rulePriorities,
      routeTarget: this.routeTarget,
      addressPool: this.addressPool,
      cidr: this.cidr,
      gateway: this.gateway,
      capacity: this.capacity,
      nodes: this.nodes,
      nodeCount: this.nodeCount,
      ready: this.ready,
    });
  }
}

/** Also where only deployment knows how. */
function speaksBgp(network: NamedNetwork): boolean {
  return network.type === "vxlan" && network.vxlan.bgp !== undefined;
}

/** What Services and other stacks need of a pool. */
export interface PoolOutput {
  readonly name: string;
  readonly namespace: string;
  /** Ranges `FIRST-LAST`, or as the program chose them. */
  readonly addresses: readonly string[];
}

function poolInputs(pool: AddressPoolArgs, known: NamedNetwork, router: VlanRouter | undefined): AddressPoolInputs {
  const { name = known.name, namespace = router?.metallbNamespace ?? defaultMetallbNamespace, addresses } = pool;
  return { name, namespace, ...(addresses === undefined ? {} : { addresses }) };
}

function requirePool(pool: AddressPool | undefined): AddressPool {
  if (pool === undefined) throw new Error("the network's state has no address pool although one was asked for");
  return pool;
}

function shownPool(pool: AddressPool | undefined): PoolOutput | undefined {
  return pool === undefined ? undefined : { name: pool.name, namespace: pool.namespace, addresses: pool.addresses };
}

/**
 * Parses what is known of the arguments.
 * @param wrong mistakes in what stands beside the network's own arguments
 * @throws ResourceError that lists every mistake, and clashes with the router's other networks
 */
function parseKnown(
  component: string,
  network: NetworkArgs,
  router: VlanRouter | undefined,
  wrong: readonly Mistake[],
): NamedNetwork {
  // What is no router has no pod networks to compare with.
  const isRouter = router !== undefined && !wrong.some(({ path }) => path === "router");
  const cluster = isRouter ? sharedBy(router) : { podNetworks: [unknownValue] };
  const given = withUnknowns(network);
  const late = lateIdentities(given, "");
  if (late.length > 0) throw mistakesError(component, [...wrong, ...late]);
  const parsed = parseNetwork(given, cluster);
  if (!parsed.ok) {
    const { type } = network;
    throw mistakesError(component, [...wrong, ...parsed.mistakes.map((mistake) => amongOptions(mistake, type))]);
  }
  if (wrong.length > 0) throw mistakesError(component, wrong);
  router?.admit(component, parsed.value, given);
  return parsed.value;
}

/** What a reviewer reads in a preview: numbers, and the commands where the pod networks are known. */
function shownInputs(network: NetworkArgs, known: NamedNetwork, router: RouterSpec | undefined): pulumi.Inputs {
  const shown = shownValues(known, router);
  if (!hasUnknown(shown)) return shown;
  const whole: pulumi.Output<unknown> = pulumi.output(network);
  const later = whole.apply((resolved): pulumi.Inputs => {
    const parsed = parseNetwork(resolved);
    // NetworkState reports the mistakes.
    return parsed.ok ? shownValues(parsed.value, router) : {};
  });
  return Object.fromEntries(
    Object.entries(shown).map(([key, value]) => [
      key,
      hasUnknown(value) ? later.apply((values) => values[key]) : value,
    ]),
  );
}

function shownValues(network: NamedNetwork, router: RouterSpec | undefined): pulumi.Inputs {
  return {
    name: network.name,
    ...networkSummary(networkSpec(network)),
    ...(router === undefined ? {} : { commands: configurationCommands(network, router.podNetworks, router.cni) }),
  };
}

function clusterOf(component: string, router: VlanRouter | undefined, cluster: ClusterArgs | undefined): Cluster {
  return router !== undefined && cluster === undefined ? router.cluster : resolveCluster(cluster, component);
}
