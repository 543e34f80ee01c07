import type { CheckResult, CreateResult, DiffResult, ReadResult, UpdateResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { applyNetwork } from "./apply-network.js";
import { checkNetwork } from "./check-network.js";
import { DeclaredNetworks } from "./declared-networks.js";
import { readNetwork } from "./read-network.js";
import { removeNetwork } from "./remove-network.js";
import { replacedProperties } from "./replacement.js";
import type { NetworkStateArguments, NetworkStateInputs, NetworkStateOutputs } from "./state.js";

/** The methods of the resource `NetworkState`: one public network in one cluster. */
export interface NetworkStateOperations {
  check(
    olds: Partial<NetworkStateInputs>,
    news: NetworkStateArguments,
  ): Promise<CheckResult<NetworkStateArguments | NetworkStateInputs>>;
  diff(id: string, olds: NetworkStateOutputs, news: NetworkStateInputs): Promise<DiffResult>;
  create(inputs: NetworkStateInputs): Promise<CreateResult<NetworkStateOutputs>>;
  update(id: string, olds: NetworkStateOutputs, news: NetworkStateInputs): Promise<UpdateResult<NetworkStateOutputs>>;
  read(id: string, held: NetworkStateOutputs): Promise<ReadResult<NetworkStateInputs, NetworkStateOutputs>>;
  delete(id: string, held: NetworkStateOutputs): Promise<void>;
}

export function networkStateOperations(environment: Environment): NetworkStateOperations {
  const program = new DeclaredNetworks();
  return {
    check: (olds, news) => checkNetwork(environment, program, olds, news),
    async diff(_id, olds, news) {
      const replaces = [...replacedProperties(olds, news)];
      // The old network goes first: both would claim the same name, prefix or table.
      return replaces.length === 0 ? {} : { replaces, deleteBeforeReplace: true };
    },
    create: (inputs) => applyNetwork(environment, inputs),
    async update(_id, olds, news) {
      const { outs } = await applyNetwork(environment, news, olds);
      return { outs };
    },
    read: (id, held) => readNetwork(environment, id, held),
    delete: (id, held) => removeNetwork(environment, program, id, held),
  };
}
