import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  apiVersion,
  type Cni,
  checkNetworks,
  type NamedNetwork,
  ownerAnnotation,
  parseConfiguration,
  routerName,
  sharedBy,
} from "../model/index.js";
import { clusterIdentifier } from "../provider/kubernetes/cluster-identifier.js";
import { asWritten } from "../provider/network-state/argument-path.js";
import { type AddressPoolsArgs, addressPoolsOf } from "./address-pools.js";
import { AgentRollout } from "./agent-rollout.js";
import { checkArguments, fromConfigArguments, routerArguments } from "./check-arguments.js";
import { type Cluster, type ClusterArgs, resolveCluster } from "./cluster-args.js";
import { givenProvider, ownProvider } from "./cluster-provider.js";
import { type ConfigurationSource, readConfiguration } from "./configuration-source.js";
import { definitions } from "./custom-resource-definitions.js";
import { type DaemonSetArgs, daemonSet } from "./daemon-set.js";
import { dynamicResourceOptions } from "./dynamic-resource-options.js";
import { mistakesError } from "./mistakes-error.js";
import { namespace } from "./namespace.js";
import { networkResourceName } from "./network-aliases.js";
import { networkOptions } from "./network-options.js";
import { NodeReports } from "./node-reports.js";
import { type NodesArgs, toleranceOf } from "./nodes-args.js";
import { ownerOf } from "./owner-of.js";
import { PublicNetwork } from "./public-network.js";
import { clusterRole, clusterRoleBinding, role, roleBinding, serviceAccount } from "./rbac.js";
import { takenBack } from "./taken-back.js";
import { withUnknowns } from "./with-unknowns.js";

/** Pulling an image on every node, one after the other, takes minutes in a large cluster. */
const defaultTimeoutSeconds = 600;

export interface VlanRouterArgs extends DaemonSetArgs {
  /**
   * Pod and service networks of the cluster: traffic between them and a public address stays in the main table. Plain, so
   * that preview can show every network's commands.
   */
  readonly podNetworks: readonly string[];
  /** What the pods are networked with: its tables, tunnels and marks are left to it. */
  readonly cni?: Cni;
  readonly cluster?: ClusterArgs;
  /**
   * Whether the definitions (CRDs) stay in the cluster when the component goes. Deleting a definition deletes every object
   * of it, also those of other stacks. Defaults to true.
   */
  readonly retainDefinitions?: boolean;
  /** How long to wait until every node runs the wanted agent. Defaults to 600 seconds. */
  readonly timeoutSeconds?: number;
  readonly nodes?: NodesArgs;
}

export type VlanRouterFromConfigArgs = Omit<VlanRouterArgs, "podNetworks" | "cni"> &
  ConfigurationSource & {
    /** MetalLB's pools: of every network (`true`), or by network name. Defaults to none. */
    readonly addressPools?: AddressPoolsArgs;
    /** How long each network waits for the nodes. Defaults to 120 seconds. */
    readonly networkTimeoutSeconds?: number;
  };

export interface RoutedNetworks {
  readonly router: VlanRouter;
  /** By network name. */
  readonly networks: Readonly<Record<string, PublicNetwork>>;
}

/**
 * The agents of one cluster, and everything that they need: definitions, namespace, permissions, DaemonSet. There is one in
 * a cluster. Networks that name it are created after its agents run and are removed before the agents go.
 */
export class VlanRouter extends pulumi.ComponentResource {
  /** The agent's image. */
  declare public readonly image: pulumi.Output<string>;
  /** Nodes whose agent runs that image, sorted. */
  declare public readonly nodes: pulumi.Output<readonly string[]>;
  /** In canonical form. */
  declare public readonly podNetworks: readonly string[];
  declare public readonly cni?: Cni;
  /** The cluster, for the networks on it. */
  declare public readonly cluster: Cluster;
  /** Pulumi's Kubernetes provider for it. */
  declare public readonly clusterProvider: pulumi.ProviderResource;
  /** MetalLB's, when it is not `metallb-system`. */
  declare public readonly metallbNamespace?: pulumi.Output<string>;
  /** What a network waits for. */
  declare public readonly rollout: AgentRollout;
  /** Networks of this program so far, for finding clashes before anything is created. */
  declare private readonly admitted: NamedNetwork[];

  /**
   * @throws ResourceError that lists every mistake in the arguments, or when no cluster is named
   */
  constructor(name: string, args: VlanRouterArgs, opts?: pulumi.ComponentResourceOptions) {
    const component = `VlanRouter "${name}"`;
    const mistakes = checkArguments(args, routerArguments);
    if (args === undefined || args === null) throw mistakesError(component, mistakes);
    const { podNetworks, cni } = args;
    const parsed = parseConfiguration(withUnknowns({ podNetworks, cni, networks: [] }));
    if (!parsed.ok) throw mistakesError(component, [...mistakes, ...parsed.mistakes]);
    if (mistakes.length > 0) throw mistakesError(component, mistakes);
    const spec = sharedBy(parsed.value);
    const cluster = resolveCluster(args.cluster, component);
    const tolerance = toleranceOf(args.nodes);
    super("vlan-router:index:VlanRouter", name, { image: args.image, ...spec }, opts);

    const image = pulumi.output(args.image);
    const owner = ownerOf(this);
    // A cluster has one router: where somebody else's is there, this is refused, and what comes after it is not touched. That
    // holds for the definitions too: a stack that held them could delete them, and every object of the other with them.
    const given = givenProvider(this);
    const objectsProvider = given === undefined ? { clusterIdentifier } : { urn: given.urn, id: given.id };
    const reports = new NodeReports(
      `${name}-reports`,
      { cluster, owner, objectsProvider },
      dynamicResourceOptions(this, []),
    );
    const own = { component: this, cluster, after: reports };
    const provider = given ?? ownProvider({ ...own, name: `${name}-cluster` });
    // Definitions that an earlier deployment left behind must not stop a new one, so these are created or updated, whichever is
    // needed. Whether the plugin takes over another object that exists depends on its version (pulumi/pulumi-kubernetes#4278):
    // nothing here relies on a refusal, for `reports` comes first and has its own.
    const definitionsProvider =
      given ?? ownProvider({ ...own, name: `${name}-definitions`, upsertExistingObjects: true });
    const crds = definitions().map(
      ({ name: definitionName, definition }) =>
        new kubernetes.apiextensions.v1.CustomResourceDefinition(`${name}-${definitionName}`, definition, {
          parent: this,
          provider: definitionsProvider,
          dependsOn: [reports],
          retainOnDelete: args.retainDefinitions ?? true,
        }),
    );
    const settings = new kubernetes.apiextensions.CustomResource(
      `${name}-settings`,
      {
        apiVersion,
        kind: "VlanRouter",
        metadata: { name: routerName, annotations: { ...takenBack, [ownerAnnotation]: owner } },
        spec,
      },
      { parent: this, provider, dependsOn: crds },
    );
    const child = { parent: this, provider, dependsOn: [settings] };
    const home = new kubernetes.core.v1.Namespace(`${name}-namespace`, namespace(), child);
    const inHome = { ...child, dependsOn: [home] };
    const permissions = [
      new kubernetes.core.v1.ServiceAccount(`${name}-agent`, serviceAccount(), inHome),
      new kubernetes.rbac.v1.ClusterRole(`${name}-agent`, clusterRole(), child),
      new kubernetes.rbac.v1.ClusterRoleBinding(`${name}-agent`, clusterRoleBinding(), child),
      new kubernetes.rbac.v1.Role(`${name}-agent`, role(), inHome),
      new kubernetes.rbac.v1.RoleBinding(`${name}-agent`, roleBinding(), inHome),
    ];
    const agents = new kubernetes.apps.v1.DaemonSet(`${name}-agent`, daemonSet(args), {
      ...child,
      dependsOn: permissions,
    });
    this.rollout = new AgentRollout(
      `${name}-rollout`,
      { cluster, image, ...spec, timeoutSeconds: args.timeoutSeconds ?? defaultTimeoutSeconds, ...tolerance },
      dynamicResourceOptions(this, [agents]),
    );
    this.image = image;
    this.nodes = this.rollout.nodes;
    this.podNetworks = spec.podNetworks;
    if (spec.cni !== undefined) this.cni = spec.cni;
    this.cluster = cluster;
    this.clusterProvider = provider;
    if (args.metallbNamespace !== undefined) this.metallbNamespace = pulumi.output(args.metallbNamespace);
    this.admitted = [];
    this.registerOutputs({ image, nodes: this.nodes, ...spec });
  }

  /**
   * Makes the router and the networks of one configuration, the same that a host without Kubernetes reads from its file.
   *
   * `parent`, `protect`, `dependsOn` and providers of `opts` hold for the networks too, and its `aliases` move them with the
   * router. With a parent their resources are named ROUTER-NETWORK, without one NETWORK: then two clusters of one program may
   * not have networks of the same name.
   * @throws ResourceError that lists every mistake in the arguments, or in the configuration
   */
  static fromConfig(
    name: string,
    given: VlanRouterFromConfigArgs,
    opts?: pulumi.ComponentResourceOptions,
  ): RoutedNetworks {
    const component = `VlanRouter "${name}"`;
    const mistakes = checkArguments(given, fromConfigArguments);
    if (mistakes.length > 0) throw mistakesError(component, mistakes);
    const { value, yaml, file, addressPools, networkTimeoutSeconds: timeoutSeconds, ...args } = given;
    const source = { value, yaml, file } as ConfigurationSource;
    const { configuration, networks } = readConfiguration(component, source);
    const names = configuration.networks.map((network) => network.name);
    const poolOf = addressPoolsOf(component, addressPools, names);
    const router = new VlanRouter(name, { ...args, ...sharedBy(configuration) }, opts);
    const components = networks.map((network, index): readonly [string, PublicNetwork] => {
      const networkName = names[index] ?? "";
      const { nodes } = args;
      const shared = {
        router,
        addressPool: poolOf(networkName),
        ...(nodes === undefined ? {} : { nodes }),
        ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      };
      const resourceName = networkResourceName(name, networkName, opts?.parent === undefined);
      const options = networkOptions(name, networkName, opts);
      return [networkName, new PublicNetwork(resourceName, { ...network, ...shared }, options)];
    });
    return { router, networks: Object.fromEntries(components) };
  }

  /**
   * Called by each network that names this router.
   * @param written the network as the program has it
   * @throws ResourceError when it clashes with one that came before
   */
  admit(component: string, network: NamedNetwork, written: unknown): void {
    const own = `${network.name}.`;
    const clashes = checkNetworks([...this.admitted, network], this)
      .filter(({ path }) => path.startsWith(own))
      .map((mistake) => asWritten({ ...mistake, path: mistake.path.slice(own.length) }, written));
    if (clashes.length > 0) throw mistakesError(component, clashes);
    this.admitted.push(network);
  }
}
