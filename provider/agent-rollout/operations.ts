import type { CheckResult, CreateResult, DiffResult, ReadResult, UpdateResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { awaitAgents } from "./await-agents.js";
import { checkAgents } from "./check-agents.js";
import { readAgents } from "./read-agents.js";
import { releaseAgents } from "./release-agents.js";
import type { AgentRolloutArguments, AgentRolloutInputs, AgentRolloutOutputs } from "./state.js";

/** The methods of the resource `AgentRollout`: the wanted agent runs on every node of a cluster. */
export interface AgentRolloutOperations {
  check(olds: Partial<AgentRolloutInputs>, news: AgentRolloutArguments): Promise<CheckResult<AgentRolloutInputs>>;
  diff(id: string, olds: AgentRolloutOutputs, news: AgentRolloutInputs): Promise<DiffResult>;
  create(inputs: AgentRolloutInputs): Promise<CreateResult<AgentRolloutOutputs>>;
  update(id: string, olds: AgentRolloutOutputs, news: AgentRolloutInputs): Promise<UpdateResult<AgentRolloutOutputs>>;
  read(id: string, held: AgentRolloutOutputs): Promise<ReadResult<AgentRolloutInputs, AgentRolloutOutputs>>;
  delete(id: string, held: AgentRolloutOutputs): Promise<void>;
}

export function agentRolloutOperations(environment: Environment): AgentRolloutOperations {
  return {
    check: (olds, news) => checkAgents(environment, olds, news),
    diff: async () => ({}),
    create: (inputs) => awaitAgents(environment, inputs),
    async update(_id, olds, news) {
      const { outs } = await awaitAgents(environment, news, olds);
      return { outs };
    },
    read: (id, held) => readAgents(environment, id, held),
    delete: (_id, held) => releaseAgents(environment, held),
  };
}
