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

export function networkStateOperations(open: Environment): NetworkStateOperations {
  const program = new DeclaredNetworks();
  const { secrets } = program;
  const environment = secrets.environment(open);
  /** Learns the secrets of what the operation is about, and lets none out with its error. */
  const concealing = async <Result>(
    about: readonly Partial<NetworkStateArguments>[],
    operate: () => Promise<Result>,
  ): Promise<Result> => {
    for (const network of about) secrets.learn(network);
    try {
      return await operate();
    } catch (error) {
      throw secrets.error(error);
    }
  };
  const giversOf = ({ owner }: NetworkStateInputs) => program.givers.get(owner);
  return {
    check: (olds, news) => concealing([olds, news], () => checkNetwork(environment, program, olds, news)),
    async diff(_id, olds, news) {
      const replaces = [...replacedProperties(olds, news)];
      // The old network goes first: both would claim the same name, prefix or table.
      return replaces.length === 0 ? {} : { replaces, deleteBeforeReplace: true };
    },
    create: (inputs) => concealing([inputs], () => applyNetwork(environment, inputs, giversOf(inputs))),
    update: (_id, olds, news) =>
      concealing([olds, news], async () => {
        const { outs } = await applyNetwork(environment, news, giversOf(news), olds);
        return { outs };
      }),
    read: (id, held) => concealing([held], () => readNetwork(environment, program, id, held)),
    delete: (id, held) => concealing([held], () => removeNetwork(environment, program, id, held)),
  };
}
