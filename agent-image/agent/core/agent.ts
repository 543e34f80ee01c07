import { isDeepStrictEqual } from "node:util";
import {
  type Condition,
  foreignObjects,
  heartbeatPeriod,
  type NetworkPlan,
  type NetworkStatus,
  type NodeFacts,
  type NodePlan,
  type PlanCondition,
  planNode,
  type RouterNodeStatus,
  retryDelay,
  segmentInterface,
  type UnplannedNetwork,
} from "../../../model/index.js";
import type { OwnedAddress } from "../addresses/owned-addresses.js";
import type { ForwardingNews } from "../evpn/evpn-speaker.js";
import type { LocalHost } from "../evpn/host-claims.js";
import type { SpeakerNetwork } from "../evpn/session-plan.js";
import { type Applied, isUnchanged, type ReconcileResult } from "../kernel/index.js";
import { noticeConditions, withTransitionTimes } from "../status/conditions.js";
import { failedPassStatus } from "../status/failed-pass.js";
import { networkStatus } from "../status/network-status.js";
import { abridged } from "./abridged.js";
import { admitNetworks } from "./admission.js";
import { planAnnouncementsOf } from "./announcements.js";
import type { CarriedNetwork, UnusableNetwork } from "./carried-network.js";
import { Coalesced } from "./coalesced.js";
import { CommitConfirm } from "./commit-confirm.js";
import { changedNetworks, stillDeclared } from "./confirmation.js";
import { gatewayTargets } from "./gateway-targets.js";
import { hostTargets } from "./host-targets.js";
import { networkProbes } from "./network-probes.js";
import { plannedConfiguration } from "./planned-configuration.js";
import type { AgentPorts, Desired, FollowedAddresses, Probe } from "./ports.js";
import { unansweredAddresses } from "./unanswered-addresses.js";

/** Milliseconds: a burst of events becomes one pass, and a repair still stands within a second. */
const passDelay = 20;
/**
 * Milliseconds between two comparisons with the kernel when nothing happens: events may be lost (netlink ENOBUFS). The
 * heartbeat says that they are made.
 */
const comparisonPeriod = heartbeatPeriod * 1000;

/** Rounds in which what a change may have cut off has time to answer again behind an interface that was just put back. */
const roundsAfterReturn = 4;

export interface AgentIdentity {
  readonly version: string;
  /** As the pod template names it; empty outside a cluster. */
  readonly image: string;
}

/** What the kernel was brought to; what follows from it can be done again without looking at the kernel. */
interface Carrying {
  readonly desired: Desired;
  /** What was chosen of it. */
  readonly carried: readonly CarriedNetwork[];
  /** No longer wanted, but something of them may still be there. */
  readonly leftover: readonly CarriedNetwork[];
  readonly plan: NodePlan;
  readonly facts: NodeFacts;
  readonly result: ReconcileResult;
  readonly refused: ReadonlyMap<string, readonly PlanCondition[]>;
}

/**
 * The loop. All inputs ask for a pass; one pass runs at a time and goes from what is wanted to what is reported: facts,
 * plan, withdrawals, kernel, speaker; then addresses, announcements, status. Where the wanted networks and the kernel are
 * the same as before, only the second half is done: a takeover does not wait for a look at the kernel.
 */
export class Agent {
  readonly #ports: AgentPorts;
  readonly #identity: AgentIdentity;
  readonly #passes: Coalesced;
  readonly #timer: NodeJS.Timeout;
  #retry: NodeJS.Timeout | undefined;
  #kernelDue = true;
  #carrying: Carrying | undefined;
  #speaking: readonly SpeakerNetwork[] = [];
  /** By network: why the speaker does not serve it as planned. */
  #notSpoken: ReadonlyMap<string, readonly PlanCondition[]> = new Map();
  #statuses: readonly NetworkStatus[] = [];
  #nodeConditions: readonly Condition[] = [];
  /** VXLAN interfaces of networks that the speaker serves, by network. */
  #devices: ReadonlyMap<string, string> = new Map();
  readonly #repairs = new Map<string, number>();
  /** By network: our addresses that others claim too. */
  readonly #contested = new Map<string, ReadonlySet<string>>();
  #initialStateKnown = false;
  #owned: readonly OwnedAddress[] = [];
  /** Why the state files do not hold what they should. */
  #notKept: PlanCondition | undefined;
  /** Why nobody hears of the last status. */
  #notReported: string | undefined;
  readonly #confirm: CommitConfirm;

  constructor(ports: AgentPorts, identity: AgentIdentity) {
    this.#ports = ports;
    this.#confirm = new CommitConfirm({
      confirmed: ports.source.carried() ?? [],
      rejected: ports.rejections.list(),
      patience: ports.probes.patience,
      run: (probe) => ports.probes.run(probe),
      onVerdict: () => this.kernelChanged(),
      log: ports.log,
    });
    this.#identity = identity;
    this.#passes = new Coalesced(
      () => this.#pass(),
      passDelay,
      (error) => this.#tryAgainAfter(error),
    );
    this.#timer = setInterval(() => this.kernelChanged(), comparisonPeriod);
  }

  /** The kernel has changed, or may have. */
  kernelChanged(): void {
    this.#kernelDue = true;
    this.#passes.request();
  }

  /** Something outside the kernel has changed: what is wanted, who owns what, a session. */
  inputChanged(): void {
    this.#passes.request();
  }

  /** The speaker has news of a network's routes: they need no whole carrying. */
  async forwardingChanged(network: string): Promise<void> {
    const device = this.#devices.get(network);
    const { speaker, gateways, log } = this.#ports;
    // Not without an interface: what is taken counts as told.
    const news = device === undefined ? undefined : speaker.takeForwarding(network);
    if (device === undefined || news === undefined) {
      return;
    }
    gateways.learn(network, news.neighbour);
    this.#announceUncontested(network);
    const { errors } = await this.#applyForwarding(network, device, news);
    if (errors.length > 0) {
      log.warn({ network, errors }, "forwarding entries could not be set; the next pass tries again");
      this.kernelChanged();
    }
  }

  /**
   * Whoever gives an address up may have been heard last, and a gateway sends to him until it hears of us again. His route goes
   * before his address does.
   */
  #announceUncontested(network: string): void {
    const { speaker, announcer } = this.#ports;
    const contested = new Set(speaker.contested(network));
    const given = [...(this.#contested.get(network) ?? [])].filter((address) => !contested.has(address));
    this.#contested.set(network, contested);
    const device = this.#carrying?.plan.networks.find((planned) => planned.network === network)?.link.name;
    if (given.length > 0 && device !== undefined) {
      announcer.hasten(device, given);
    }
  }

  /** A host that was behind our bridge of a network is behind another VTEP now; where its frames go is in the routes. */
  hostMoved(network: string, mac: string): void {
    const device = this.#devices.get(network);
    if (device === undefined) {
      return;
    }
    const { hosts, kernel, log } = this.#ports;
    log.info({ network, mac }, "a host has moved to another VTEP");
    const released = kernel.releaseHost(device, mac).then(({ errors }) => {
      if (errors.length > 0) {
        log.warn({ network, errors }, "a bridge could not be told that a host has moved");
      }
    });
    hosts.moved(network, mac, released);
  }

  #applyForwarding(network: string, device: string, news: ForwardingNews): Promise<Applied> {
    const { speaker, kernel } = this.#ports;
    const applied = news.kind === "changes" ? kernel.changeForwarding(device, news.changes) : undefined;
    if (applied !== undefined) {
      return applied;
    }
    const whole = news.kind === "whole" ? news.state : speaker.forwarding(network);
    return whole === undefined ? Promise.resolve({ done: [], errors: [] }) : kernel.applyForwarding(device, whole);
  }

  /** Ends the loop after the pass that is under way. The kernel's state stays: leaving is not cleaning. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#confirm.close();
    await this.#passes.close();
    // The last pass may have asked for another.
    clearTimeout(this.#retry);
  }

  async #pass(): Promise<void> {
    const desired = this.#ports.source.desired();
    if (desired === undefined) {
      return;
    }
    try {
      if (this.#carrying === undefined || this.#kernelDue || !isDeepStrictEqual(desired, this.#carrying.desired)) {
        this.#kernelDue = false;
        clearTimeout(this.#retry);
        this.#carrying = await this.#carry(desired);
      }
      const carrying = this.#carrying;
      try {
        await this.#follow(carrying);
      } finally {
        // What the kernel carries is kept, whatever became of the rest.
        await this.#keep(carrying);
      }
    } catch (error) {
      await this.#passFailed(desired, error as Error);
    }
  }

  /** What a restart needs to know. A disk that is full or broken stops nothing now, and so it must be told. */
  async #keep({ desired, leftover }: Carrying): Promise<void> {
    const { source, rejections, log } = this.#ports;
    const before = this.#notKept?.message;
    // Each file by itself: one that cannot be written is no reason to lose what belongs in the other.
    const outcomes = await Promise.allSettled([
      source.applied([...this.#confirm.confirmed(desired.networks), ...leftover]),
      rejections.keep(this.#confirm.rejections()),
    ]);
    const failures = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [(outcome.reason as Error).message] : [],
    );
    this.#notKept = failures.length === 0 ? undefined : { reason: "StateNotKept", message: failures.join("; ") };
    if (this.#notKept !== undefined) {
      this.#tryAgain();
    }
    if (this.#notKept?.message !== before) {
      log.warn({ error: this.#notKept?.message }, "what a restart needs to know is kept again, or not any more");
      this.inputChanged();
    }
  }

  /** What concerns one network alone is in its status without this: here the kernel cannot be read, or the like. */
  async #passFailed({ networks, unusable = [] }: Desired, error: Error): Promise<void> {
    this.#tryAgainAfter(error);
    const now = new Date().toISOString();
    // What is kept may be in the kernel since the process before this one.
    const known = [...(this.#ports.source.carried() ?? []), ...networks, ...unusable];
    const before = { conditions: this.#nodeConditions, networks: this.#statuses };
    const status = failedPassStatus(error, before, known, now);
    this.#statuses = status.networks;
    this.#nodeConditions = status.conditions;
    const foreign =
      this.#carrying === undefined ? {} : { foreign: foreignObjects(this.#carrying.facts, this.#carrying.plan) };
    await this.#publish({ agent: this.#identity, heartbeatTime: now, ...status, ...foreign });
  }

  #tryAgainAfter(error: Error): void {
    this.#ports.log.error({ error: error.message }, "a pass failed and will be tried again");
    // Also by a pass that something else brings: it must not take for granted what this one did not get done.
    this.#kernelDue = true;
    this.#tryAgain();
  }

  #tryAgain(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.kernelChanged(), retryDelay * 1000);
  }

  /** Makes kernel and speaker carry what is wanted. */
  async #carry(desired: Desired): Promise<Carrying> {
    const { kernel, log } = this.#ports;
    const speaking = new Set(this.#speaking.map(({ network }) => network));
    const standing = isDeepStrictEqual(desired, this.#carrying?.desired) ? this.#carrying : undefined;
    // What vanished is put back first, and only then is looked whether the node has changed so that the plan must: a
    // missing rule leaks traffic, and reading the kernel takes longer than writing it.
    let result = standing === undefined ? undefined : await this.#reconcile(standing.plan);
    let facts = result !== undefined && isUnchanged(result) ? result.facts : await kernel.facts();
    const kept = this.#ports.source.carried();
    const { admitted: wanted, refused } = admitNetworks(desired.networks, kept ?? []);
    const back = this.#carrying === undefined ? await this.#bringBack(wanted, facts) : undefined;
    facts = back?.facts ?? facts;
    const standingNetworks = this.#carrying?.carried ?? kept ?? [];
    const standingPlan = this.#carrying?.plan ?? planNode(plannedConfiguration(standingNetworks), facts);
    const standingResult = result ?? this.#carrying?.result ?? back?.result;
    const admitted = await this.#confirm.choose(
      wanted,
      this.#probesOf(stillDeclared(standingNetworks, wanted), standingPlan, standingResult, facts),
      back === undefined || isUnchanged(back.result) ? 1 : roundsAfterReturn,
    );
    const plan = planNode(plannedConfiguration(admitted), facts);
    const speakers = this.#wantedSpeakers(plan);
    if (result === undefined || !isDeepStrictEqual(plan, standing?.plan)) {
      // Peers must stop sending before the routes go: what is no longer wanted is withdrawn first.
      await this.#speak(speakers.filter(({ network }) => speaking.has(network)));
      await this.#withdrawUnpinned(plan);
      result = await this.#reconcile(plan);
      facts = isUnchanged(result) ? facts : await kernel.facts();
    }

    // A route to a VTEP that has no interface yet would be a black hole.
    await this.#speak(speakers.filter(({ network }) => speaking.has(network) || isUp(network, plan, facts)));
    for (const { network, isLinkNew } of result.networks) {
      if (isLinkNew) this.#ports.speaker.nothingToKeep(network);
    }
    this.#confirm.applied(this.#probesOf(admitted, plan, result, facts));
    this.#devices = new Map(
      plan.networks.flatMap(({ network, link, speaker: spoken }) =>
        spoken === undefined ? [] : [[network, segmentInterface(link)] as const],
      ),
    );
    // The speaker may have had news of a network before its interface was known here.
    for (const network of this.#devices.keys()) {
      void this.forwardingChanged(network);
    }
    const errors = [result.node, ...result.networks].flatMap((outcome) => outcome.errors);
    if (errors.length > 0) {
      log.warn({ errors }, "the kernel is not as planned and will be compared again");
      this.#tryAgain();
    }
    return { desired, carried: admitted, leftover: this.#leftover(desired, result), plan, facts, result, refused };
  }

  /**
   * A predecessor may have died on trial, with its change in the kernel: asked then, what the change cut off would count as
   * silent before it. So what was confirmed is brought back first, and the change is tried from there. Nothing is taken away
   * where nothing is known to be confirmed, for the file may be lost.
   *
   * @returns what came of it, and the facts after it; undefined where nothing is on trial
   */
  async #bringBack(
    wanted: readonly CarriedNetwork[],
    facts: NodeFacts,
  ): Promise<{ readonly result: ReconcileResult; readonly facts: NodeFacts } | undefined> {
    const kept = this.#ports.source.carried();
    if (kept === undefined || changedNetworks(kept, wanted).length === 0) {
      return undefined;
    }
    const confirmed = stillDeclared(kept, wanted);
    const result = await this.#reconcile(planNode(plannedConfiguration(confirmed), facts));
    return { result, facts: isUnchanged(result) ? facts : await this.#ports.kernel.facts() };
  }

  /** The same for addresses that are pinned to this node no more: the kernel answers for them until the peers have been told. */
  async #withdrawUnpinned(plan: NodePlan): Promise<void> {
    const { speaker } = this.#ports;
    const pinned = new Set(
      plan.networks.flatMap(({ network, staticAddresses = [] }) =>
        staticAddresses.map(({ address }) => `${network} ${address}`),
      ),
    );
    const unplanned = new Set(plan.unplanned.map(({ network }) => network));
    const goes = ({ network, address, source }: OwnedAddress): boolean =>
      source.kind === "static" && !unplanned.has(network) && !pinned.has(`${network} ${address}`);
    const concerned = new Set(this.#owned.filter(goes).map(({ network }) => network));
    if (concerned.size === 0) {
      return;
    }
    const staying = this.#owned.filter((owned) => !goes(owned));
    for (const network of concerned) {
      const addresses = staying.filter((owned) => owned.network === network).map(({ address }) => address);
      speaker.setAddresses(network, addresses);
    }
    await speaker.announced();
  }

  /** What the speaker refuses is a condition of the networks that it does not serve; kernel and status go on. */
  async #speak(networks: readonly SpeakerNetwork[]): Promise<void> {
    try {
      await this.#ports.speaker.setNetworks(networks);
      this.#speaking = networks;
      this.#ports.gobgp.setNetworks(networks);
      this.#notSpoken = new Map(
        [...this.#ports.speaker.refusals()].map(([network, refusal]) => [network, [refusal]] as const),
      );
    } catch (error) {
      const { message } = error as Error;
      this.#ports.log.error({ error: message }, "the speaker refused the networks; it goes on with those before");
      const served = new Set(this.#speaking.map(({ network }) => network));
      const unserved = networks.filter(({ network }) => !served.has(network));
      this.#notSpoken = new Map(
        (unserved.length === 0 ? networks : unserved).map(({ network }) => [
          network,
          [{ reason: "SpeakerRefused", message }],
        ]),
      );
    }
  }

  /** Announces the addresses that this node owns now, and reports. */
  async #follow(carrying: Carrying): Promise<void> {
    const { plan, facts } = carrying;
    const { speaker, kernel, addresses, announcer, gateways, hosts } = this.#ports;
    const followed = addresses.owned(facts, plan);
    hosts.set(hostTargets(plan));
    for (const { network } of this.#speaking) {
      const own = addressesOf(network, followed);
      speaker.setAddresses(network, own);
      speaker.setHosts(network, hostsBeside(own, hosts.hosts(network)));
    }
    if (!this.#initialStateKnown && followed.complete && hosts.complete) {
      this.#initialStateKnown = true;
      speaker.initialStateKnown();
    }
    const { announcements, notices } = planAnnouncementsOf(followed, plan, facts.links);
    announcer.set(announcements);
    gateways.set(gatewayTargets(plan, facts.links, followed.owned, followed.confirmed));
    const unanswered = unansweredAddresses(followed.owned, plan, (device) => kernel.arpIgnore(device));
    this.#release(followed.owned);
    const networks = this.#observe(carrying, followed, [
      notices,
      followed.notices,
      unanswered,
      gateways.notices(),
      hosts.notices(),
      speaker.notices(),
      this.#ports.gobgp.notices(),
    ]);
    await this.#report(networks, carrying);
  }

  /** Lets go of what pins clients to this node. Nobody waits for it: the new owner answers already. */
  #release(owned: readonly OwnedAddress[]): void {
    const still = new Set(owned.map(({ address }) => address));
    const released = this.#owned.map(({ address }) => address).filter((address) => !still.has(address));
    this.#owned = owned;
    if (released.length > 0) {
      const { kernel, log } = this.#ports;
      kernel
        .forgetFlows(released)
        .catch((error: Error) =>
          log.warn({ error: error.message }, "flows of addresses that moved were not forgotten"),
        );
    }
  }

  /** Networks of which this node has something, as far as this process knows. */
  #known(): readonly CarriedNetwork[] {
    return this.#carrying === undefined ? [] : [...this.#carrying.desired.networks, ...this.#carrying.leftover];
  }

  /** A network that cannot be planned now keeps what it has in the kernel, so it keeps its routes at the peers too. */
  #wantedSpeakers(plan: NodePlan): readonly SpeakerNetwork[] {
    const kept = new Set(plan.unplanned.map(({ network }) => network));
    return [
      ...plan.networks.flatMap(({ network, speaker }) => (speaker === undefined ? [] : [{ network, plan: speaker }])),
      ...this.#speaking.filter(({ network }) => kept.has(network)),
    ];
  }

  /** What shows that this node is not cut off, while it carries a plan. */
  #probesOf(
    networks: readonly CarriedNetwork[],
    plan: NodePlan,
    result: ReconcileResult | undefined,
    facts: NodeFacts,
  ): readonly Probe[] {
    return [...this.#ports.probes.ofNode, ...networkProbes(networks, plan, result?.networks ?? [], facts.links)];
  }

  async #reconcile(plan: NodePlan): Promise<ReconcileResult> {
    const { kernel, log } = this.#ports;
    const result = await kernel.reconcile(plan);
    const { node, networks } = result;
    for (const { network, applied, repaired } of networks) {
      if (applied.length > 0) {
        log.info({ network, applied: abridged(applied) }, "carried out the plan");
      }
      if (repaired.length > 0) {
        this.#repairs.set(network, (this.#repairs.get(network) ?? 0) + repaired.length);
        log.warn({ network, repaired: abridged(repaired) }, "put right what somebody else changed");
      }
    }
    if (node.applied.length + node.repaired.length > 0) {
      log.info({ applied: node.applied, repaired: node.repaired }, "changed what belongs to no single network");
    }
    return result;
  }

  /**
   * Networks that were carried and are no longer wanted, while something of theirs resists: they stay in the status, so that
   * nobody takes them for removed. An error names no network, so that it may be of any of them.
   */
  #leftover(desired: Desired, { node, stays }: ReconcileResult): readonly CarriedNetwork[] {
    const wanted = new Set(desired.networks.map(({ name }) => name));
    return this.#known()
      .filter(({ name }) => !wanted.has(name))
      .filter(({ name }) => node.errors.length > 0 || stays.some(({ network }) => network === name));
  }

  #observe(
    carrying: Carrying,
    followed: FollowedAddresses,
    notices: readonly ReadonlyMap<string, readonly PlanCondition[]>[],
  ): readonly NetworkStatus[] {
    const now = new Date().toISOString();
    const problem: readonly PlanCondition[] =
      followed.problem === undefined ? [] : [{ reason: "ClaimsNotFollowed", message: followed.problem }];
    const confirmed = this.#confirm.confirmed(carrying.desired.networks);
    const observe = (network: CarriedNetwork | UnusableNetwork, removing: boolean): NetworkStatus => {
      const planned = planOf(network.name, carrying.plan);
      const previous = this.#statuses.find(({ uid }) => uid === network.uid);
      const device = planned === undefined ? previous?.interface.name : deviceOf(planned);
      const own = carrying.result.networks.find((entry) => entry.network === network.name);
      const stays = carrying.result.stays.filter((stay) => stay.network === network.name);
      const carried = "spec" in network ? network : undefined;
      const trial = carried === undefined ? undefined : this.#confirm.refusal(carried);
      const unconfirmed = carried === undefined ? undefined : this.#confirm.notice(carried);
      return networkStatus(
        {
          network,
          carriedRevision: confirmed.find(({ uid }) => uid === network.uid)?.revision,
          removing,
          plan: planned,
          link: carrying.facts.links.find(({ name }) => name === device),
          failures: [...(own?.errors ?? []), ...carrying.result.node.errors],
          refusals:
            "spec" in network
              ? [...(carrying.refused.get(network.name) ?? []), ...(trial === undefined ? [] : [trial])]
              : [network.notice],
          conflicts: removing ? stays : (own?.conflicts ?? []),
          repairs: this.#repairs.get(network.name) ?? 0,
          sessions: this.#ports.speaker.sessions(network.name),
          forwarding: () => this.#ports.speaker.forwarding(network.name),
          addresses: addressesOf(network.name, followed),
          bridgedHosts: this.#ports.hosts.hosts(network.name).length,
          notices: [
            ...(removing ? [] : stays),
            ...notices.flatMap((byNetwork) => byNetwork.get(network.name) ?? []),
            ...(this.#notSpoken.get(network.name) ?? []),
            ...problem,
            ...(this.#notKept === undefined ? [] : [this.#notKept]),
            ...(unconfirmed === undefined ? [] : [unconfirmed]),
          ],
        },
        previous,
        now,
      );
    };
    return [
      ...carrying.desired.networks.map((network) => observe(network, false)),
      ...(carrying.desired.unusable ?? []).map((network) => observe(network, false)),
      ...carrying.leftover.map((network) => observe(network, true)),
    ].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** What stays of a network that is not reported is told of the node. */
  async #report(networks: readonly NetworkStatus[], { facts, plan, result: { stays } }: Carrying): Promise<void> {
    for (const name of this.#repairs.keys()) {
      if (!networks.some((network) => network.name === name)) {
        this.#repairs.delete(name);
      }
    }
    this.#statuses = networks;
    const now = new Date().toISOString();
    const names = new Set(networks.map(({ name }) => name));
    const ofNode = stays.filter(({ network }) => network === undefined || !names.has(network));
    this.#nodeConditions = withTransitionTimes(noticeConditions(ofNode), this.#nodeConditions, now);
    const conditions = this.#nodeConditions.length === 0 ? {} : { conditions: this.#nodeConditions };
    const foreign = foreignObjects(facts, plan);
    const status: RouterNodeStatus = { agent: this.#identity, heartbeatTime: now, ...conditions, foreign, networks };
    await this.#publish(status);
  }

  /** A status that cannot be written stops nothing: the log is what is left to tell it. */
  async #publish(status: RouterNodeStatus): Promise<void> {
    const before = this.#notReported;
    try {
      await this.#ports.report(status);
      this.#notReported = undefined;
    } catch (error) {
      this.#notReported = (error as Error).message;
      this.#tryAgain();
    }
    if (this.#notReported !== before) {
      this.#ports.log.warn({ error: this.#notReported }, "the status is reported again, or not any more");
    }
  }
}

function planOf(network: string, plan: NodePlan): NetworkPlan | UnplannedNetwork | undefined {
  return (
    plan.networks.find((planned) => planned.network === network) ??
    plan.unplanned.find((unplanned) => unplanned.network === network)
  );
}

function deviceOf(planned: NetworkPlan | UnplannedNetwork): string {
  return "link" in planned ? planned.link.name : planned.device;
}

function isUp(network: string, plan: NodePlan, facts: NodeFacts): boolean {
  const device = plan.networks.find((planned) => planned.network === network)?.link.name;
  return facts.links.some(({ name, up }) => name === device && up);
}

/** What the node itself answers for is nobody else's. */
function hostsBeside(own: readonly string[], hosts: readonly LocalHost[]): readonly LocalHost[] {
  return hosts.map(({ mac, addresses }) => ({
    mac,
    addresses: addresses.filter((address) => !own.includes(address)),
  }));
}

function addressesOf(network: string, followed: FollowedAddresses): readonly string[] {
  return followed.owned.filter((owned) => owned.network === network).map(({ address }) => address);
}
