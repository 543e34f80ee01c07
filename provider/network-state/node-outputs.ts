import type { NetworkStatus, RouterNodeObject } from "../../model/index.js";
import { agentState } from "../agent-state.js";
import { sortedRecord } from "../sorted-record.js";
import { type ClusterSnapshot, type ExpectedNetwork, isSelected, type NetworkLacks } from "./network-lacks.js";

/** Above this many nodes only those that lack something are listed: the state of a large fleet stays readable. */
export const listedNodes = 200;

/** Stable facts of a network on one node: no clocks, no counters, no owners of addresses. */
export interface NodeOutput {
  /** `unknown` when the node's agent does not report. */
  readonly interface: NetworkStatus["interface"]["state"] | "unknown";
  /** State of the BGP session (RFC 4271 section 8.2.2) by peer address. */
  readonly sessions: Readonly<Record<string, string>>;
  /** Types of conditions that say something to know of a network that stands, such as `MtuBelowSegment`; absent for none. */
  readonly conditions?: readonly string[];
}

export interface NodeOutputs {
  /** By node name, sorted. */
  readonly nodes: Readonly<Record<string, NodeOutput>>;
  /** Nodes that should carry the network. */
  readonly nodeCount: number;
  /** Whether every one of them does. */
  readonly ready: boolean;
}

export function nodeOutputs(expected: ExpectedNetwork, snapshot: ClusterSnapshot, found: NetworkLacks): NodeOutputs {
  const reports = new Map(snapshot.routerNodes.map((report) => [report.metadata.name, report]));
  const selected = snapshot.nodes.filter((node) => isSelected(node, expected.spec));
  const deviating = new Set([...Object.keys(found.lacks), ...found.away]);
  const listed = selected.length > listedNodes ? selected.filter(({ name }) => deviating.has(name)) : selected;
  return {
    nodes: sortedRecord(
      listed.map((node) => [node.name, nodeOutput(statusOf(node, reports.get(node.name), expected, snapshot.now))]),
    ),
    nodeCount: selected.length,
    ready: selected.length > 0 && deviating.size === 0,
  };
}

function statusOf(
  node: ClusterSnapshot["nodes"][number],
  report: RouterNodeObject | undefined,
  expected: ExpectedNetwork,
  now: number,
): NetworkStatus | undefined {
  const agent = agentState(node, report, now);
  return agent.kind === "reporting" ? agent.status.networks.find(({ uid }) => uid === expected.uid) : undefined;
}

/** All other conditions are there only while there is something to know (docs/reference/conditions.md). */
const saysWell: ReadonlySet<string> = new Set(["Applied", "SessionsEstablished"]);

function nodeOutput(status: NetworkStatus | undefined): NodeOutput {
  if (status === undefined) return { interface: "unknown", sessions: {} };
  const sessions = status.sessions.map(({ peer, state }): [string, string] => [peer, state]);
  const noted = status.conditions.filter((condition) => condition.status === "True" && !saysWell.has(condition.type));
  return {
    interface: status.interface.state,
    sessions: sortedRecord(sessions),
    ...(noted.length === 0 ? {} : { conditions: noted.map(({ type }) => type).sort() }),
  };
}
