import { type Declaration, Declarations } from "../declarations.js";
import type { CheckResult, CreateResult, DiffResult, ReadResult, UpdateResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { checkNodeReports } from "./check-node-reports.js";
import { removeNodeReports } from "./remove-node-reports.js";
import type { NodeReportsArguments, NodeReportsInputs, NodeReportsOutputs } from "./state.js";

/** As with the router: a cluster has them once. */
const reportsId = "node-reports";

/**
 * The methods of the resource `NodeReports`: the RouterNode objects of a cluster. Agents make and write them; the resource
 * removes them when the agents have gone.
 */
export interface NodeReportsOperations {
  check(olds: Partial<NodeReportsInputs>, news: NodeReportsArguments): Promise<CheckResult<NodeReportsInputs>>;
  diff(id: string, olds: NodeReportsOutputs, news: NodeReportsInputs): Promise<DiffResult>;
  create(inputs: NodeReportsInputs): Promise<CreateResult<NodeReportsOutputs>>;
  update(id: string, olds: NodeReportsOutputs, news: NodeReportsInputs): Promise<UpdateResult<NodeReportsOutputs>>;
  read(id: string, held: NodeReportsOutputs): Promise<ReadResult<NodeReportsInputs, NodeReportsOutputs>>;
  delete(id: string, held: NodeReportsOutputs): Promise<void>;
}

export function nodeReportsOperations(environment: Environment): NodeReportsOperations {
  const program = new Declarations<Declaration>();
  async function hold(inputs: NodeReportsInputs, heldUid?: string): Promise<NodeReportsOutputs> {
    const { clusterUid } = await environment.connect(inputs.cluster, "program", heldUid);
    return { ...inputs, schemaVersion: 1, clusterUid };
  }
  return {
    check: (olds, news) => checkNodeReports(environment, program, olds, news),
    diff: async () => ({}),
    create: async (inputs) => ({ id: reportsId, outs: await hold(inputs) }),
    update: async (_id, olds, news) => ({ outs: await hold(news, olds.clusterUid) }),
    read: async (id, held) => ({ id, props: held }),
    delete: (_id, held) => removeNodeReports(environment, held),
  };
}
