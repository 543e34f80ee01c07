import type { dynamic } from "@pulumi/pulumi";
import type { AgentRolloutInputs, AgentRolloutOutputs } from "./agent-rollout/state.js";
import type { NetworkStateInputs, NetworkStateOutputs } from "./network-state/state.js";

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

/** One instance each: Pulumi caches the serialised text by instance. */
export const networkStateProvider = new NetworkStateProvider();
export const agentRolloutProvider = new AgentRolloutProvider();
