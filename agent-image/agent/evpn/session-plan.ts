import type { BfdPlan } from "../../../model/configuration/bfd.js";
import type { PlanCondition, SpeakerPlan } from "../../../model/index.js";
import {
  type SessionParameters,
  sessionParameters,
  sessionSource,
  sharedDifference,
} from "../../../model/node-plan/shared-session.js";
import { defaultRouteLimit } from "../../../model/numbers/limits.js";
import type { SessionTarget } from "../bgp/session/session-target.js";

/** A network with what the node plan says about its speaker. */
export interface SpeakerNetwork {
  readonly network: string;
  readonly plan: SpeakerPlan;
}

/** One session and the networks that use it. */
export interface PlannedSession {
  readonly target: SessionTarget;
  readonly parameters: SessionParameters;
  readonly networks: readonly string[];
  /** Routes of the peer that are kept at most: the largest number that one of the networks allows. */
  readonly routeLimit: number;
  /** Undefined: off. */
  readonly bfd: BfdPlan | undefined;
  /** The peer may connect as well, because one of the networks allows it. */
  readonly listen: boolean;
}

/** One session between two addresses, whatever the number of networks. */
export function sessionKey({ local, peer }: SessionTarget): string {
  return `${local} ${peer}`;
}

/** Of all sessions of a network, in the order of its peers; none where the node lacks the declared source address. */
export function sessionTargets(plan: SpeakerPlan): readonly SessionTarget[] {
  const local = sessionSource(plan);
  return local === undefined ? [] : plan.peers.map((peer) => ({ local, peer }));
}

/** What a speaker does with the networks that it was given. */
export interface SessionPlan {
  /** By `sessionKey`. */
  readonly sessions: ReadonlyMap<string, PlannedSession>;
  /** By network: the plan that is spoken, which is the one before where the new one is refused but the old one fits. */
  readonly spoken: ReadonlyMap<string, SpeakerPlan>;
  /** By network: why its plan is not spoken. */
  readonly refusals: ReadonlyMap<string, PlanCondition>;
}

/**
 * BGP allows one session between two addresses, so networks that share one must agree about it. Where they do not, the
 * one that was there first stays: networks whose session parameters are as they are spoken now, then others that are
 * spoken now, then new ones; by name among equals. The later one is refused, and goes on as it is spoken now if that fits.
 *
 * @param current the networks that are spoken now
 */
export function planSessions(
  networks: readonly SpeakerNetwork[],
  current: ReadonlyMap<string, SpeakerPlan> = new Map(),
): SessionPlan {
  const sessions = new Map<string, PlannedSession>();
  const spoken = new Map<string, SpeakerPlan>();
  const refusals = new Map<string, PlanCondition>();
  for (const wanted of bySeniority(networks, current)) {
    const { network } = wanted;
    const message = firstDifference(wanted, sessions);
    if (message !== undefined) {
      refusals.set(network, { reason: "SessionParametersDiffer", message });
    }
    const before = current.get(network);
    const candidates = [wanted.plan, ...(before === undefined ? [] : [before])];
    const plan = candidates.find((candidate) => firstDifference({ network, plan: candidate }, sessions) === undefined);
    if (plan !== undefined) {
      spoken.set(network, plan);
      join(sessions, { network, plan });
    }
  }
  return { sessions, spoken, refusals };
}

function bySeniority(
  networks: readonly SpeakerNetwork[],
  current: ReadonlyMap<string, SpeakerPlan>,
): readonly SpeakerNetwork[] {
  const rank = ({ network, plan }: SpeakerNetwork): number => {
    const now = current.get(network);
    if (now === undefined) {
      return 2;
    }
    return sessionSource(now) === sessionSource(plan) && sharedDifference(now, plan) === undefined ? 0 : 1;
  };
  return networks.toSorted((one, other) => rank(one) - rank(other) || (one.network < other.network ? -1 : 1));
}

function join(sessions: Map<string, PlannedSession>, { network, plan }: SpeakerNetwork): void {
  for (const target of sessionTargets(plan)) {
    const shared = sessions.get(sessionKey(target));
    sessions.set(sessionKey(target), {
      target,
      parameters: sessionParameters(plan),
      networks: [...(shared?.networks ?? []), network],
      routeLimit: Math.max(shared?.routeLimit ?? 0, plan.maxRoutes ?? defaultRouteLimit),
      bfd: plan.bfd,
      listen: shared?.listen === true || plan.listen === true,
    });
  }
}

/** Undefined where the network fits to those that have the sessions already. */
function firstDifference(
  { network, plan }: SpeakerNetwork,
  sessions: ReadonlyMap<string, PlannedSession>,
): string | undefined {
  for (const target of sessionTargets(plan)) {
    const shared = sessions.get(sessionKey(target));
    const difference = shared && sharedDifference({ ...shared.parameters, bfd: shared.bfd }, plan);
    if (shared !== undefined && difference !== undefined) {
      return (
        `networks "${shared.networks[0]}" and "${network}" share the BGP session from ${target.local} to ${target.peer} but ` +
        `differ in ${difference}; give both the same value, or different peers`
      );
    }
  }
  return undefined;
}
