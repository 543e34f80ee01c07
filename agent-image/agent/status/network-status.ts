import {
  type ForwardingPlan,
  type LinkFact,
  type NetworkPlan,
  type NetworkStatus,
  type PlanCondition,
  type SessionStatus,
  tunnelOf,
  type UnplannedNetwork,
} from "../../../model/index.js";
import { boundedList } from "./bounded-message.js";
import { type ConditionState, noticeConditions, reasonTexts, withRemedy, withTransitionTimes } from "./conditions.js";
import { failureMessage } from "./failure-message.js";

/** The network itself, as it was told to this node. */
export interface ReportedNetwork {
  readonly name: string;
  readonly uid: string;
  readonly revision: string;
  /** Something about its place in the cluster, which becomes a condition with status True. */
  readonly notice?: { readonly type: string; readonly reason: string; readonly message: string };
}

/** Everything that is known of one network on this node after a pass. */
export interface NetworkObservation {
  readonly network: ReportedNetwork;
  /** The revision that is planned: an older one where the network's own is refused. */
  readonly carriedRevision: string | undefined;
  /** The network is being taken away and something of it is still there. */
  readonly removing: boolean;
  readonly plan: NetworkPlan | UnplannedNetwork | undefined;
  readonly link: LinkFact | undefined;
  /** Operations that failed, with the reason; they are tried again. */
  readonly failures: readonly string[];
  /** Why the network's revision cannot be carried beside other networks. */
  readonly refusals: readonly PlanCondition[];
  /** What stands in the way and will not go away by trying again: foreign objects, other networks. */
  readonly conflicts: readonly PlanCondition[];
  readonly repairs: number;
  readonly sessions: readonly SessionStatus[];
  /**
   * What the peers' routes put into the kernel; undefined while it keeps what stood there before. Each call looks at all
   * routes.
   */
  readonly forwarding: () => ForwardingPlan | undefined;
  readonly addresses: readonly string[];
  /** How many machines behind its bridge are announced. */
  readonly bridgedHosts: number;
  /** Further things to know, each of which becomes a condition of its own with status True. */
  readonly notices: readonly PlanCondition[];
}

/** @param previous the status that was built before, for the times of conditions and the revision that was applied */
export function networkStatus(
  seen: NetworkObservation,
  previous: NetworkStatus | undefined,
  now: string,
): NetworkStatus {
  const { network, plan, link, failures, conflicts } = seen;
  const planned = plan !== undefined && isPlanned(plan) ? plan : undefined;
  const whole = planned !== undefined && failures.length === 0 && conflicts.length === 0 && !seen.removing;
  const device =
    planned?.link.name ?? (plan !== undefined && !isPlanned(plan) ? plan.device : previous?.interface.name);
  const tunnel = planned === undefined ? undefined : tunnelOf(planned.link);
  const tables =
    planned?.routes.map(({ table }) => table) ?? (plan !== undefined && !isPlanned(plan) ? plan.tables : []);
  return {
    name: network.name,
    uid: network.uid,
    revision: whole ? (seen.carriedRevision ?? "") : (previous?.revision ?? ""),
    interface: {
      name: device ?? "",
      state: link === undefined ? "missing" : link.up ? "up" : "down",
      ...(link?.mac === undefined ? {} : { mac: link.mac }),
      ...(link === undefined ? {} : { mtu: link.mtu }),
      ...(tunnel === undefined ? {} : { local: tunnel.local, port: tunnel.port }),
    },
    tables: [...new Set(tables)].sort((one, other) => one - other),
    sessions: [...seen.sessions].sort((one, other) => (one.peer < other.peer ? -1 : 1)),
    addresses: [...seen.addresses].sort(),
    ...(seen.bridgedHosts === 0 ? {} : { bridgedHosts: seen.bridgedHosts }),
    conditions: withTransitionTimes(conditions(seen, planned), previous?.conditions ?? [], now),
    drift: [...boundedList([...failures].sort()), ...reasonTexts([...seen.refusals, ...conflicts])].sort(),
    repairs: seen.repairs,
  };
}

function conditions(seen: NetworkObservation, planned: NetworkPlan | undefined): readonly ConditionState[] {
  const states: ConditionState[] = [applied(seen)];
  if (planned?.speaker !== undefined) {
    states.push(sessionsEstablished(seen, planned.speaker.peers));
  }
  const { notice } = seen.network;
  if (notice !== undefined) {
    states.push({ type: notice.type, status: "True", reason: notice.reason, message: notice.message });
  }
  states.push(...noticeConditions([...(planned?.conditions ?? []), ...seen.notices]));
  return states;
}

function applied({ removing, plan, failures, refusals, conflicts, network }: NetworkObservation): ConditionState {
  const condition = (reason: string, message: string): ConditionState => ({
    type: "Applied",
    status: reason === "Applied" ? "True" : "False",
    reason,
    message,
  });
  if (removing) {
    const reasons = [...(failures.length > 0 ? [failureMessage(failures)] : []), ...reasonTexts(conflicts)];
    return condition("Removing", reasons.join("; ") || "the network is being removed from this node");
  }
  const obstacles = [...refusals, ...conflicts];
  const [obstacle] = obstacles;
  if (obstacle !== undefined) {
    return condition(obstacle.reason, reasonTexts(obstacles).join("; "));
  }
  if (plan === undefined) {
    return condition("NotSelected", "the network's nodeSelector does not match this node");
  }
  if (!isPlanned(plan)) {
    return condition(plan.condition.reason, withRemedy(plan.condition));
  }
  return failures.length > 0
    ? condition("ReconcileFailed", failureMessage(failures))
    : condition("Applied", `revision ${network.revision} stands in the kernel`);
}

function sessionsEstablished({ sessions, forwarding }: NetworkObservation, peers: readonly string[]): ConditionState {
  const down = peers
    .map((peer) => ({ peer, session: sessions.find((session) => session.peer === peer) }))
    .filter(({ session }) => session?.state !== "Established")
    .map(({ peer, session }) => `${peer} is ${session?.state ?? "Idle"}`);
  const type = "SessionsEstablished";
  if (down.length === 0) {
    const message = `${peers.length} of ${peers.length} sessions are Established`;
    return { type, status: "True", reason: "AllEstablished", message };
  }
  if (down.length < peers.length) return { type, status: "False", reason: "SomeDown", message: down.join(", ") };
  const held = forwarding();
  const isEmpty = held !== undefined && held.flood.length + held.hosts.length === 0;
  const message = isEmpty ? `${down.join(", ")}; the kernel has no forwarding entries of peers` : down.join(", ");
  return { type, status: "False", reason: "NoneEstablished", message };
}

function isPlanned(plan: NetworkPlan | UnplannedNetwork): plan is NetworkPlan {
  return "link" in plan;
}
