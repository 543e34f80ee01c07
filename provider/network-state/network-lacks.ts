import {
  type Condition,
  type NetworkSpec,
  type NetworkStatus,
  otherVteps,
  type RouterNodeObject,
  type SessionStatus,
  selects,
} from "../../model/index.js";
import { agentState, runsAgent } from "../agent-state.js";
import { conditionLack } from "../condition-lack.js";
import type { ClusterNode } from "../kubernetes/kubernetes-client.js";
import { type LacksByNode, lacksByNode, type NodeLacks } from "../node-lack.js";

/** What every selected node should report about a network. */
export interface ExpectedNetwork {
  readonly name: string;
  readonly uid: string;
  /** Name of the revision: it covers the specification and the cluster's podNetworks. */
  readonly revision: string;
  readonly spec: NetworkSpec;
}

/** The cluster as it was at one moment. */
export interface ClusterSnapshot {
  readonly nodes: readonly ClusterNode[];
  readonly routerNodes: readonly RouterNodeObject[];
  /** Milliseconds since the epoch; compared with the nodes' clocks, so grace periods are as exact as these agree. */
  readonly now: number;
}

export function isSelected(node: ClusterNode, spec: NetworkSpec): boolean {
  return runsAgent(node) && selects(spec.nodeSelector, node.labels);
}

/** How a network stands on the nodes of a cluster. */
export interface NetworkLacks {
  /** What still differs, by node. */
  readonly lacks: LacksByNode;
  /** Selected nodes that Kubernetes does not hear from: nobody can say what they carry. */
  readonly away: readonly string[];
}

/**
 * Compares what the nodes report with what they should carry. A node that is no longer selected must carry nothing of it.
 * @param sessionGraceMs how long a session may be out of Established before that counts
 */
export function networkLacks(
  expected: ExpectedNetwork,
  snapshot: ClusterSnapshot,
  sessionGraceMs: number,
): NetworkLacks {
  const reports = new Map(snapshot.routerNodes.map((report) => [report.metadata.name, report]));
  const away: string[] = [];
  const entries: [string, NodeLacks][] = [];
  for (const node of snapshot.nodes) {
    const agent = agentState(node, reports.get(node.name), snapshot.now);
    const status =
      agent.kind === "reporting" ? agent.status.networks.find(({ uid }) => uid === expected.uid) : undefined;
    if (!isSelected(node, expected.spec)) {
      if (status !== undefined) entries.push([node.name, { [`network ${expected.name}`]: "still there" }]);
    } else if (agent.kind === "away") {
      away.push(node.name);
    } else if (agent.kind !== "reporting") {
      entries.push([node.name, { agent: agent.kind }]);
    } else {
      entries.push([node.name, statusLacks(expected, status, snapshot.now, sessionGraceMs)]);
    }
  }
  return { lacks: lacksByNode(entries), away: away.sort() };
}

/** Says again what the sessions say, and at once, where a session has its hold time to come back. */
const sessionsCondition = "SessionsEstablished";
/** Unknown while the agent cannot look at its node: then nobody knows that the network stands. */
const appliedCondition = "Applied";

function statusLacks(
  expected: ExpectedNetwork,
  status: NetworkStatus | undefined,
  now: number,
  sessionGraceMs: number,
): NodeLacks {
  if (status === undefined) return { [`network ${expected.name}`]: "not applied" };
  const lacks: (readonly [string, string])[] = [];
  if (status.revision !== expected.revision) {
    lacks.push(["revision", `${status.revision || "none"}, not ${expected.revision}`]);
  }
  if (status.interface.state !== "up") lacks.push([`interface ${status.interface.name}`, status.interface.state]);
  for (const peer of peersOf(expected.spec, status)) {
    const state = sessionLack(
      status.sessions.find((session) => session.peer === peer),
      now,
      sessionGraceMs,
    );
    if (state !== undefined) lacks.push([`session ${peer}`, state]);
  }
  const failed = status.conditions.filter(isFailed);
  lacks.push(...failed.map(conditionLack));
  // The agent gives what it cannot repair as the reason of a condition too.
  const untold = status.drift.filter((difference) => !failed.some(({ message }) => message.includes(difference)));
  if (untold.length > 0) lacks.push(["kernel", `not as planned (${untold.join("; ")})`]);
  return Object.fromEntries(lacks);
}

function isFailed({ type, status }: Condition): boolean {
  if (type === sessionsCondition) return false;
  return status === "False" || (type === appliedCondition && status === "Unknown");
}

/** Peers that a node must have a session with; one that is itself a peer has none with itself. */
function peersOf(spec: NetworkSpec, { interface: { local }, sessions }: NetworkStatus): readonly string[] {
  const own = [local, ...sessions.map((session) => session.local)].filter((address) => address !== undefined);
  return otherVteps(spec.type === "vxlan" ? (spec.vxlan.bgp?.peers ?? []) : [], own);
}

function sessionLack(session: SessionStatus | undefined, now: number, graceMs: number): string | undefined {
  if (session === undefined) return "missing";
  if (session.state === "Established") return undefined;
  return now - Date.parse(session.since) < graceMs ? undefined : session.state;
}
