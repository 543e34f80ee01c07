import type { RouterNodeObject } from "../../model/index.js";
import { agentState, runsAgent } from "../agent-state.js";
import { conditionLack } from "../condition-lack.js";
import type { ClusterNode } from "../kubernetes/kubernetes-client.js";
import { type LacksByNode, lacksByNode, type NodeLacks } from "../node-lack.js";

export interface AgentLacks {
  readonly lacks: LacksByNode;
  /** What agents say of their nodes that belongs to no network; it does not keep an agent from running. */
  readonly conditions: LacksByNode;
  /** Nodes that Kubernetes does not hear from. */
  readonly away: readonly string[];
  /** Nodes whose agent runs the wanted image and reports. */
  readonly running: readonly string[];
}

/** Which nodes do not run the wanted agent yet. */
export function agentLacks(
  image: string,
  nodes: readonly ClusterNode[],
  routerNodes: readonly RouterNodeObject[],
  now: number,
): AgentLacks {
  const reports = new Map(routerNodes.map((report) => [report.metadata.name, report]));
  const away: string[] = [];
  const running: string[] = [];
  const entries: [string, NodeLacks][] = [];
  const conditions: [string, NodeLacks][] = [];
  for (const node of nodes.filter(runsAgent)) {
    const agent = agentState(node, reports.get(node.name), now);
    if (agent.kind === "reporting") {
      conditions.push([node.name, Object.fromEntries((agent.status.conditions ?? []).map(conditionLack))]);
    }
    if (agent.kind === "away") away.push(node.name);
    else if (agent.kind !== "reporting") entries.push([node.name, { agent: agent.kind }]);
    else if (agent.status.agent.image !== image) {
      entries.push([node.name, { "agent image": agent.status.agent.image || "unknown" }]);
    } else running.push(node.name);
  }
  return {
    lacks: lacksByNode(entries),
    conditions: lacksByNode(conditions),
    away: away.sort(),
    running: running.sort(),
  };
}
