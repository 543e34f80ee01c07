import type { dynamic } from "@pulumi/pulumi";
import type { AgentRolloutInputs, AgentRolloutOutputs } from "./agent-rollout/state.js";
import type { NetworkStateInputs, NetworkStateOutputs } from "./network-state/state.js";
import type { NodeReportsInputs, NodeReportsOutputs } from "./node-reports/state.js";

/*
 * The dynamic providers as Pulumi serialises them into each resource's `__provider`. The text stands in inputs and state,
 * and any change of it is a difference of every resource (pulumi/pulumi#12401), so it captures nothing, holds no version
 * and no path, and never changes: each method requires the runtime by the package's name, which the plugin resolves from
 * the program's folder, and makes one call. A shared helper would be captured, hence the repetition.
 */

class NetworkStateProvider implements dynamic.ResourceProvider<NetworkStateInputs, NetworkStateOutputs> {
  async configure(request: dynamic.ConfigureRequest): Promise<void> {
    return require("pulumi-vlan-router/provider/runtime").configure(request);
  }

  async check(olds: NetworkStateInputs, news: NetworkStateInputs): Promise<dynamic.CheckResult<NetworkStateInputs>> {
    return require("pulumi-vlan-router/provider/runtime").networkState.check(olds, news);
  }

  async diff(id: string, olds: NetworkStateOutputs, news: NetworkStateInputs): Promise<dynamic.DiffResult> {
    return require("pulumi-vlan-router/provider/runtime").networkState.diff(id, olds, news);
  }

  async create(inputs: NetworkStateInputs): Promise<dynamic.CreateResult<NetworkStateOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").networkState.create(inputs);
  }

  async update(
    id: string,
    olds: NetworkStateOutputs,
    news: NetworkStateInputs,
  ): Promise<dynamic.UpdateResult<NetworkStateOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").networkState.update(id, olds, news);
  }

  async read(id: string, held?: NetworkStateOutputs): Promise<dynamic.ReadResult<NetworkStateOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").networkState.read(id, held);
  }

  async delete(id: string, held: NetworkStateOutputs): Promise<void> {
    return require("pulumi-vlan-router/provider/runtime").networkState.delete(id, held);
  }
}

class AgentRolloutProvider implements dynamic.ResourceProvider<AgentRolloutInputs, AgentRolloutOutputs> {
  async configure(request: dynamic.ConfigureRequest): Promise<void> {
    return require("pulumi-vlan-router/provider/runtime").configure(request);
  }

  async check(olds: AgentRolloutInputs, news: AgentRolloutInputs): Promise<dynamic.CheckResult<AgentRolloutInputs>> {
    return require("pulumi-vlan-router/provider/runtime").agentRollout.check(olds, news);
  }

  async diff(id: string, olds: AgentRolloutOutputs, news: AgentRolloutInputs): Promise<dynamic.DiffResult> {
    return require("pulumi-vlan-router/provider/runtime").agentRollout.diff(id, olds, news);
  }

  async create(inputs: AgentRolloutInputs): Promise<dynamic.CreateResult<AgentRolloutOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").agentRollout.create(inputs);
  }

  async update(
    id: string,
    olds: AgentRolloutOutputs,
    news: AgentRolloutInputs,
  ): Promise<dynamic.UpdateResult<AgentRolloutOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").agentRollout.update(id, olds, news);
  }

  async read(id: string, held?: AgentRolloutOutputs): Promise<dynamic.ReadResult<AgentRolloutOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").agentRollout.read(id, held);
  }

  async delete(id: string, held: AgentRolloutOutputs): Promise<void> {
    return require("pulumi-vlan-router/provider/runtime").agentRollout.delete(id, held);
  }
}

class NodeReportsProvider implements dynamic.ResourceProvider<NodeReportsInputs, NodeReportsOutputs> {
  async configure(request: dynamic.ConfigureRequest): Promise<void> {
    return require("pulumi-vlan-router/provider/runtime").configure(request);
  }

  async check(olds: NodeReportsInputs, news: NodeReportsInputs): Promise<dynamic.CheckResult<NodeReportsInputs>> {
    return require("pulumi-vlan-router/provider/runtime").nodeReports.check(olds, news);
  }

  async diff(id: string, olds: NodeReportsOutputs, news: NodeReportsInputs): Promise<dynamic.DiffResult> {
    return require("pulumi-vlan-router/provider/runtime").nodeReports.diff(id, olds, news);
  }

  async create(inputs: NodeReportsInputs): Promise<dynamic.CreateResult<NodeReportsOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").nodeReports.create(inputs);
  }

  async update(
    id: string,
    olds: NodeReportsOutputs,
    news: NodeReportsInputs,
  ): Promise<dynamic.UpdateResult<NodeReportsOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").nodeReports.update(id, olds, news);
  }

  async read(id: string, held?: NodeReportsOutputs): Promise<dynamic.ReadResult<NodeReportsOutputs>> {
    return require("pulumi-vlan-router/provider/runtime").nodeReports.read(id, held);
  }

  async delete(id: string, held: NodeReportsOutputs): Promise<void> {
    return require("pulumi-vlan-router/provider/runtime").nodeReports.delete(id, held);
  }
}

/** One instance each: Pulumi caches the serialised text by instance. */
export const networkStateProvider = new NetworkStateProvider();
export const agentRolloutProvider = new AgentRolloutProvider();
export const nodeReportsProvider = new NodeReportsProvider();
