import type { RouterNodeStatus } from "../../../model/index.js";
import type { ClaimSource } from "../core/claim-follower.js";
import type { LastGood } from "../core/last-good.js";
import type { AgentLog } from "../core/ports.js";
import { ApiClient } from "./api-client.js";
import { AssignmentSource } from "./assignment-source.js";
import { ClusterSource } from "./cluster-source.js";
import { EventWriter } from "./event-writer.js";
import { StatusWriter } from "./status-writer.js";

export interface ClusterConnectionOptions {
  readonly kubeconfig?: string;
  readonly nodeName: string;
  readonly podName?: string;
  readonly agentNamespace: string;
  readonly metallbNamespace: string;
  readonly lastGood: LastGood;
  /** Names of the networks that stand in the kernel. */
  readonly standing: readonly string[];
  readonly log: AgentLog;
  /** Something that a pass of the agent's loop reads has changed. */
  readonly onChange: () => void;
}

export interface ClusterConnection {
  readonly source: AssignmentSource;
  readonly claims: ClaimSource;
  /** Whether the API server answers within `timeout` milliseconds. */
  readonly apiServerAnswers: (timeout: number) => Promise<boolean>;
  readonly publish: (status: RouterNodeStatus) => void;
  readonly close: () => Promise<void>;
}

/** Everything between this agent and the API server. Does not wait for it. */
export function connectCluster(options: ClusterConnectionOptions): ClusterConnection {
  const { nodeName, agentNamespace, metallbNamespace, lastGood, log, onChange } = options;
  const client = ApiClient.from(options.kubeconfig);
  const writer = new StatusWriter({
    client,
    nodeName,
    onError: (error) => log.warn({ error: error.message }, "the status could not be written; trying again"),
  });
  const cluster = new ClusterSource({
    client,
    nodeName,
    identity: options.podName ?? nodeName,
    namespace: agentNamespace,
    metallbNamespace,
    onChange: () => {
      if (cluster.lacksStatus()) {
        writer.forget();
      }
      onChange();
    },
    onError: (error, doing) => log.warn({ error: error.message, doing }, "the API server refused or did not answer"),
  });
  const events = new EventWriter({
    client,
    nodeName,
    nodeUid: () => cluster.routerNodeUid(),
    onError: (error) => log.warn({ error: error.message }, "events cannot be written; the status says the same"),
  });
  return {
    source: new AssignmentSource(() => cluster.assignment(), lastGood, options.standing, log),
    claims: {
      claims: () => cluster.claims(),
      problem: () => cluster.claimProblem(),
      lastContact: () => client.lastContact,
    },
    apiServerAnswers: (timeout) => client.answers(timeout),
    publish: (status) => {
      writer.set(status);
      events.set(status);
    },
    close: async () => {
      await Promise.all([writer.close(), events.close()]);
      await cluster.close();
    },
  };
}
