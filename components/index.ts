import "../provider/require-node.js";

export type { AddressPoolArgs } from "./address-pool.js";
export type { AddressPoolsArgs } from "./address-pools.js";
export { AgentRollout, type AgentRolloutArgs } from "./agent-rollout.js";
export type { Cluster, ClusterArgs } from "./cluster-args.js";
export type { ConfigurationSource } from "./configuration-source.js";
export type {
  BgpArgs,
  NetworkArgs,
  RoutingArgs,
  VlanArgs,
  VlanNetworkArgs,
  VxlanArgs,
  VxlanNetworkArgs,
} from "./network-args.js";
export { NetworkState, type NetworkStateArgs } from "./network-state.js";
export { NodeReports } from "./node-reports.js";
export type { NodesArgs } from "./nodes-args.js";
export { type PoolOutput, PublicNetwork, type PublicNetworkArgs, type PublicNetworkOptions } from "./public-network.js";
export {
  type RoutedNetworks,
  VlanRouter,
  type VlanRouterArgs,
  type VlanRouterFromConfigArgs,
} from "./vlan-router.js";
