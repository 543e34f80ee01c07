import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { ForwardingPlan, PlanCondition, SessionStatus, SpeakerPlan } from "../../../model/index.js";
import { sessionDifference } from "../../../model/node-plan/shared-session.js";
import { type BfdMonitor, BfdService } from "../bfd/bfd-service.js";
import type { RouteChange } from "../bgp/rib/adj-rib-in.js";
import { MacMoves } from "../bgp/rib/duplicate-detection.js";
import { isOutOfReach, sequenceAbove } from "../bgp/rib/mac-mobility.js";
import type { ReceivedRoute } from "../bgp/rib/received-route.js";
import { type Clock, systemClock } from "../bgp/session/clock.js";
import { discardSocket } from "../bgp/session/discard-socket.js";
import {
  administrativeShutdown,
  type Farewell,
  otherConfigurationChange,
  peerDeconfigured,
} from "../bgp/session/farewell.js";
import { type ListenerFactory, tcpListener } from "../bgp/session/listener.js";
import { isInternal } from "../bgp/session/session-config.js";
import type { SessionTarget, SocketFactory } from "../bgp/session/session-target.js";
import { tcpSocket } from "../bgp/session/tcp-socket.js";
import { bfdFindings } from "./bfd-findings.js";
import { competingClaims, movableClaims } from "./competing-claims.js";
import { routeFindings } from "./findings.js";
import { ForwardingHold } from "./forwarding-hold.js";
import type { ForwardingChanges, ForwardingState } from "./forwarding-state.js";
import { HostClaims, type LocalHost } from "./host-claims.js";
import { KeyedTimers } from "./keyed-timers.js";
import { limitFindings } from "./limit-findings.js";
import { Listening } from "./listening.js";
import { listeningFindings } from "./listening-findings.js";
import { localRoutes } from "./local-routes.js";
import type { Log } from "./log.js";
import { mobilityFindings, type UnrestfulHosts } from "./mobility-findings.js";
import { NetworkRib } from "./network-rib.js";
import { Peering } from "./peering.js";
import { SequenceMemory } from "./sequence-memory.js";
import { type PlannedSession, planSessions, type SpeakerNetwork, sessionKey, sessionTargets } from "./session-plan.js";

export interface EvpnSpeakerOptions {
  readonly log: Log;
  /** This process follows one that left forwarding in the kernel (RFC 4724, R and F bits); false after a boot. */
  readonly restarted: boolean;
  /** What an earlier process announced; without it every number starts at 0. */
  readonly sequences?: SequenceMemory;
  /** For tests; TCP to port 179 otherwise. */
  readonly connect?: SocketFactory;
  /** For tests; a thread with UDP sockets otherwise, which is started when the first network wants it. */
  readonly bfd?: BfdMonitor;
  /** For tests; TCP port 179 otherwise. */
  readonly listen?: ListenerFactory;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** What the kernel has to learn of a network's routes. */
export type ForwardingNews = (
  | { readonly kind: "whole"; readonly state: ForwardingPlan }
  | { readonly kind: "changes"; readonly changes: ForwardingChanges }
) & {
  /** The MAC that the routes say an address has. */
  readonly neighbour: NeighbourLookup;
};

export type NeighbourLookup = (address: string) => string | undefined;

export interface EvpnSpeakerEvents {
  /** `forwarding(network)` may have changed. */
  forwarding: [network: string];
  /** `sessions(network)` may have changed. */
  session: [network: string, peer: string];
  /** A host that was declared is behind another VTEP now, and announced no more; `forwarding` follows. */
  moved: [network: string, mac: string];
}

/** Milliseconds from a change to its `forwarding` event: what comes in the same turn is told once, and nothing waits longer. */
const forwardingDelay = 0;

/** Milliseconds that a withdrawal may take to leave; a peer which does not read must not hold up the node. */
const withdrawalTimeout = 1000;

interface NetworkState {
  readonly plan: SpeakerPlan;
  readonly rib: NetworkRib;
  /** The whole of the forwarding was taken: from then on changes are enough. */
  readonly told: boolean;
  /** Whose routes are in the RIB. */
  readonly sources: readonly Peering[];
  readonly addresses: readonly string[];
  /** MAC mobility number of our MAC; only ever raised. */
  readonly sequence: number;
  /** Owned addresses that were claimed before any peer had sent all its routes: who competes is not known yet. */
  readonly unsettled: readonly string[];
  readonly moves: MacMoves;
  readonly hosts: HostClaims;
}

/**
 * Speaks EVPN (RFC 7432 with RFC 8365) for all networks of a node: announces what the node has, and says what the
 * kernel should hold of what others have. Declare networks and addresses as they are; the difference is sent.
 */
export class EvpnSpeaker extends EventEmitter<EvpnSpeakerEvents> {
  readonly #options: Required<EvpnSpeakerOptions>;
  readonly #networks = new Map<string, NetworkState>();
  readonly #peerings = new Map<string, Peering>();
  readonly #hold: ForwardingHold;
  /** By network: until its number may be raised again. */
  readonly #damped: KeyedTimers;
  readonly #listening: Listening;
  #sessions: ReadonlyMap<string, PlannedSession> = new Map();
  /** By session and route target: the networks that import it. */
  #importers: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map();
  #refusals: ReadonlyMap<string, PlanCondition> = new Map();
  #initialStateKnown = false;
  /** Keys of sessions that stood and make way for others with the same peer. */
  readonly #returning = new Set<string>();
  /** Networks whose routes were known once: a peer that is added later does not make them unknown. */
  readonly #complete = new Set<string>();
  readonly #changed = new Set<string>();
  #cancelEmit: (() => void) | undefined;

  constructor(options: EvpnSpeakerOptions) {
    super();
    this.#options = {
      connect: tcpSocket,
      bfd: new BfdService({
        onFailure: (error) =>
          options.log("error", "a mistake of this program ended BFD; it is started again", { error: error.stack }),
      }),
      listen: tcpListener,
      clock: systemClock,
      random: Math.random,
      sequences: new SequenceMemory(),
      ...options,
    };
    this.#hold = new ForwardingHold(this.#options.clock);
    this.#damped = new KeyedTimers(this.#options.clock);
    this.#listening = new Listening({
      ...this.#options,
      onConnection: (local, peer, socket) => this.#onConnection({ local, peer }, socket),
      onChange: (local) => this.#onListening(local),
    });
  }

  /**
   * The networks that the node carries now. Sessions that stay needed are not touched. Resolves when the routes of
   * networks that are left out have been withdrawn. A network that does not fit to the others is in `refusals`.
   */
  async setNetworks(networks: readonly SpeakerNetwork[]): Promise<void> {
    const current = new Map([...this.#networks].map(([network, { plan }]) => [network, plan]));
    const { sessions, spoken, refusals } = planSessions(networks, current);
    for (const name of this.#networks.keys()) {
      if (!spoken.has(name)) {
        this.#networks.get(name)?.hosts.close();
        this.#networks.delete(name);
        this.#complete.delete(name);
        this.#hold.forget(name);
        this.#damped.cancel(name);
      }
    }
    for (const [name, plan] of spoken) {
      const known = this.#networks.get(name);
      if (!isDeepStrictEqual(known?.plan, plan)) {
        this.#networks.set(name, this.#withPlan(name, known, plan));
        this.#markChanged(name);
      }
    }
    this.#noteRefusals(refusals);
    const before = this.#sessions;
    this.#sessions = sessions;
    const closed = this.#closeUnneeded(before);
    this.#openMissing();
    this.#listening.update(sessions.values());
    this.#importers = importersOf(sessions, spoken);
    for (const name of spoken.keys()) {
      this.#fillRib(name);
    }
    for (const name of this.#networks.keys()) {
      this.#holdForwarding(name);
    }
    await this.#atMost(withdrawalTimeout, Promise.all([closed, this.#announce()]));
  }

  /**
   * The addresses of a network that this node answers for; IPv4 and canonical IPv6. Before the network is declared there
   * is nothing to announce, and the call has no effect.
   */
  setAddresses(network: string, addresses: readonly string[]): void {
    const state = this.#networks.get(network);
    if (state === undefined) {
      return;
    }
    const wanted = [...new Set(addresses)].sort();
    const claimed = wanted.filter((address) => !state.addresses.includes(address));
    this.#networks.set(network, {
      ...state,
      addresses: wanted,
      unsettled: [...state.unsettled.filter((address) => wanted.includes(address)), ...claimed],
    });
    state.rib.setOwnAddresses(wanted);
    this.#settleClaims(network);
    void this.#announce();
    this.#markChanged(network);
  }

  /** Resolves when the peers have been sent what is declared now; a peer that does not read is not waited for longer than a second. */
  async announced(): Promise<void> {
    await this.#atMost(withdrawalTimeout, this.#announce());
  }

  /** The hosts behind this node's bridge of a network. A call before the network is declared has no effect. */
  setHosts(network: string, hosts: readonly LocalHost[]): void {
    const state = this.#networks.get(network);
    if (
      state === undefined ||
      isDeepStrictEqual(
        hosts,
        state.hosts.claims.map(({ mac, addresses }) => ({ mac, addresses })),
      )
    ) {
      return;
    }
    state.hosts.set(hosts);
    state.rib.setOwnHosts(hosts);
    this.#settleHosts(network);
    void this.#announce();
    this.#markChanged(network);
  }

  /** The addresses of ours that others claim too, with routes that still stand. */
  contested(network: string): readonly string[] {
    const state = this.#networks.get(network);
    return state === undefined
      ? []
      : competingClaims(state.rib, state.addresses, state.plan).flatMap(({ route }) => route.ip ?? []);
  }

  /** All networks and addresses of the start are declared: End-of-RIB may be sent (RFC 4724 section 2). */
  initialStateKnown(): void {
    this.#initialStateKnown = true;
    for (const peering of this.#peerings.values()) {
      peering.initialStateKnown();
    }
  }

  /** By network: why it is not spoken as it was declared last. */
  refusals(): ReadonlyMap<string, PlanCondition> {
    return this.#refusals;
  }

  /** By network: what is wrong with its routes although sessions are up. */
  notices(): ReadonlyMap<string, readonly PlanCondition[]> {
    const imports = [...this.#networks].map(([network, { plan }]) => [network, plan.importRouteTargets] as const);
    const used = new Set(imports.flatMap(([, targets]) => targets));
    return new Map(
      imports.flatMap(([network, targets]) => {
        const findings = this.#findings(network, targets, used);
        return findings.length === 0 ? [] : [[network, findings] as const];
      }),
    );
  }

  #findings(network: string, targets: readonly string[], used: ReadonlySet<string>): PlanCondition[] {
    const state = this.#networks.get(network);
    if (state === undefined) {
      return [];
    }
    const peerings = this.#peeringsOf(network);
    const settled = peerings.filter((peering) => peering.whole && peering.state === "Established");
    const sent = settled.map((peering) => ({
      peer: peering.status.peer,
      external: !isInternal(peering.config),
      imported: peering.importedBy(targets),
      unmatchedTargets: [...peering.receivedTargets].filter((target) => !used.has(target)),
      withOwnAs: peering.withOwnAs,
      keepsRoutes: peering.keepsRoutes,
    }));
    return [
      ...listeningFindings(state.plan, (local) => this.#listening.failure(local)),
      ...routeFindings(state.plan, sent),
      ...mobilityFindings(state.plan, this.#unrestfulHosts(network, state)),
      ...limitFindings(
        state.rib,
        peerings.map(({ limits }) => limits),
      ),
      ...bfdFindings(
        peerings.flatMap(({ bfdSilence }) => bfdSilence ?? []),
        state.plan.holdTime,
      ),
    ];
  }

  #unrestfulHosts(network: string, { plan, rib, addresses, unsettled, sequence, moves }: NetworkState): UnrestfulHosts {
    const damped = this.#damped.has(network) ? unsettled : [];
    return {
      unanswered: movableClaims(competingClaims(rib, damped, plan)).filter(({ traits }) => traits.sequence >= sequence),
      sticky: competingClaims(rib, addresses, plan).filter(({ traits }) => traits.sticky),
      outOfReach: competingClaims(rib, addresses, plan).filter(isOutOfReach),
      duplicates: moves.duplicates(this.#options.clock.now()),
    };
  }

  /** One entry for each peer of the network, in the order of the plan. */
  sessions(network: string): readonly SessionStatus[] {
    const source = this.#networks.get(network)?.plan.source ?? undefined;
    return this.#peeringsOf(network).map(({ status }) => ({
      ...status,
      ...(source === undefined ? {} : { local: source }),
    }));
  }

  /**
   * What the kernel should hold of others. Undefined until a peer has sent all its routes: before that, an entry that is
   * missing may just not have been learned yet, and what stands in the kernel should stay. See {@link ForwardingHold} for
   * how long.
   */
  forwarding(network: string): ForwardingState | undefined {
    return this.#isForwarding(network) ? this.#networks.get(network)?.rib.forwarding() : undefined;
  }

  /**
   * What has changed in {@link forwarding} since the last call; the whole of it where nothing that was said before counts:
   * at first, and after the network was declared anew. Undefined as there.
   */
  takeForwarding(network: string): ForwardingNews | undefined {
    const state = this.#networks.get(network);
    if (state === undefined || !this.#isForwarding(network)) {
      return undefined;
    }
    const { rib, told } = state;
    const neighbour = (address: string) => rib.neighbour(address);
    if (told) {
      return { kind: "changes", changes: rib.takeChanges(), neighbour };
    }
    this.#networks.set(network, { ...state, told: true });
    return { kind: "whole", state: rib.takeWhole(), neighbour };
  }

  /**
   * Ends all sessions without withdrawing. With `notify` the peers are told that this is a shutdown, with the reason for their
   * operators, and forget our routes; without it they see a lost connection and may keep them (RFC 4724 section 4.2).
   */
  async close({ notify, reason }: { readonly notify: boolean; readonly reason?: string }): Promise<void> {
    this.#cancelEmit?.();
    for (const network of this.#networks.keys()) {
      this.#hold.forget(network);
      this.#damped.cancel(network);
    }
    for (const { hosts } of this.#networks.values()) hosts.close();
    this.#listening.close();
    const peerings = [...this.#peerings.values()];
    this.#peerings.clear();
    this.#networks.clear();
    this.#sessions = new Map();
    const farewell = notify ? administrativeShutdown(reason) : undefined;
    await Promise.all(peerings.map((peering) => peering.close(farewell)));
    await this.#options.bfd.end();
  }

  /** The number belongs to the MAC in its network; with another MAC its claims are new ones. */
  #withPlan(network: string, known: NetworkState | undefined, plan: SpeakerPlan): NetworkState {
    const addresses = known?.addresses ?? [];
    const moves = known?.moves ?? new MacMoves();
    const rib = new NetworkRib(plan, (mac, from, to) => moves.note(mac, from, to, this.#options.clock.now()));
    rib.setOwnAddresses(addresses);
    const hosts = known?.hosts ?? this.#hostClaims(network, moves);
    rib.setOwnHosts(hosts.claims);
    const fresh = { plan, rib, told: false, sources: [], addresses, moves, hosts };
    if (known?.plan.mac === plan.mac) {
      return { ...known, ...fresh };
    }
    return { ...fresh, sequence: this.#options.sequences.of(network, plan.mac), unsettled: addresses };
  }

  #hostClaims(network: string, moves: MacMoves): HostClaims {
    const { clock, sequences } = this.#options;
    return new HostClaims({
      network,
      sequences,
      clock,
      onDue: () => this.#settleHosts(network) && void this.#announce(),
      onMove: (mac, from, to) => moves.note(mac, from, to, clock.now()),
    });
  }

  /** From the sessions that the network has now; where they are others than before, from nothing. */
  #fillRib(network: string): void {
    const state = this.#networks.get(network);
    const sources = this.#peeringsOf(network);
    if (state === undefined || areSame(state.sources, sources)) {
      return;
    }
    const fresh = state.sources.length === 0 ? state : this.#withPlan(network, state, state.plan);
    for (const peering of sources) {
      for (const route of peering.importedBy(state.plan.importRouteTargets)) {
        fresh.rib.add(route);
      }
    }
    this.#networks.set(network, { ...fresh, sources });
    this.#yieldHosts(network);
    this.#markChanged(network);
  }

  #noteRefusals(refusals: ReadonlyMap<string, PlanCondition>): void {
    for (const [network, { message }] of refusals) {
      if (this.#refusals.get(network)?.message !== message) {
        this.#options.log("error", "a network does not fit to the others", { network, error: message });
      }
    }
    this.#refusals = refusals;
  }

  async #closeUnneeded(before: ReadonlyMap<string, PlannedSession>): Promise<void> {
    const closing: Promise<void>[] = [];
    for (const [key, peering] of this.#peerings) {
      const planned = this.#sessions.get(key);
      if (planned !== undefined && isSameSession(planned, peering)) {
        continue;
      }
      this.#peerings.delete(key);
      const users = before.get(key)?.networks ?? [];
      // The node forwards on, and its OPEN over the next session says so (RFC 4724 section 3, F bit).
      if (planned !== undefined && peering.returning) this.#returning.add(key);
      closing.push(peering.close(planned === undefined ? this.#endOfSession(users) : otherConfigurationChange));
    }
    await Promise.all(closing);
  }

  /** The peer's operator reads why a session has gone with its networks; a peer that was only left out has no text to get. */
  #endOfSession(users: readonly string[]): Farewell {
    return users.some((network) => this.#networks.has(network))
      ? peerDeconfigured
      : administrativeShutdown(`removed from this node: ${users.join(", ")}`);
  }

  #openMissing(): void {
    const { connect, clock, random, log, restarted, bfd: monitor } = this.#options;
    for (const [key, { target, parameters, routeLimit, bfd }] of this.#sessions) {
      const known = this.#peerings.get(key);
      if (known !== undefined) {
        known.setRouteLimit(routeLimit);
        known.setBfd(bfd);
        continue;
      }
      const peering = new Peering(
        {
          target,
          config: { ...parameters, restarted },
          connect,
          bfd: monitor,
          clock,
          random,
          log,
          routeLimit,
          // One that is closing has nothing more to say.
          onRoutes: (changes) => this.#peerings.get(key) === peering && this.#onRoutes(key, changes),
          onState: () => this.#onState(key),
        },
        { initialStateKnown: this.#initialStateKnown, returning: this.#returning.delete(key) },
      );
      peering.setBfd(bfd);
      this.#peerings.set(key, peering);
      peering.start();
    }
  }

  /** One that has come for a session which has just gone is closed. */
  #onConnection(target: SessionTarget, socket: Duplex): void {
    const peering = this.#peerings.get(sessionKey(target));
    if (peering === undefined) {
      discardSocket(socket);
    } else {
      peering.accept(socket);
    }
  }

  /** Networks that speak from an address have another condition now. */
  #onListening(local: string): void {
    for (const { target, networks } of this.#sessions.values()) {
      if (target.local === local) for (const network of networks) this.emit("session", network, target.peer);
    }
  }

  #onRoutes(key: string, changes: readonly RouteChange[]): void {
    const importers = this.#importers.get(key);
    if (importers === undefined) {
      return;
    }
    for (const { before, after } of changes) {
      // What leaves comes first: the new route may be of the same network by another route target.
      this.#eachImporter(importers, before, (rib, route) => rib.remove(route));
      this.#eachImporter(importers, after, (rib, route) => rib.add(route));
    }
    for (const network of new Set([...importers.values()].flat())) this.#yieldHosts(network);
  }

  #eachImporter(
    importers: ReadonlyMap<string, readonly string[]>,
    route: ReceivedRoute | undefined,
    action: (rib: NetworkRib, route: ReceivedRoute) => void,
  ): void {
    for (const target of route?.traits.routeTargets ?? []) {
      for (const network of importers.get(target) ?? []) {
        const rib = this.#networks.get(network)?.rib;
        if (rib !== undefined && route !== undefined) {
          action(rib, route);
          this.#markChanged(network);
        }
      }
    }
  }

  #onState(key: string): void {
    const session = this.#sessions.get(key);
    for (const network of session?.networks ?? []) {
      this.#markChanged(network);
      this.#holdForwarding(network);
      const hostsChanged = this.#settleHosts(network);
      if (this.#settleClaims(network) || hostsChanged) {
        void this.#announce();
      }
      this.emit("session", network, session?.target.peer ?? "");
    }
  }

  /**
   * A new claim is set above those that others still hold, once, as soon as they are known. Never later: two nodes that
   * both insist would otherwise raise their numbers for ever. Where claims come and go as often as switches take for a
   * duplicate, it waits. Returns whether the number has changed.
   */
  #settleClaims(network: string): boolean {
    const state = this.#networks.get(network);
    if (state === undefined || state.unsettled.length === 0 || !this.#isConverged(network)) {
      return false;
    }
    const { sequences, clock } = this.#options;
    const { plan, rib, unsettled } = state;
    const sequence = sequenceAbove(state.sequence, movableClaims(competingClaims(rib, unsettled, plan)));
    const host = { network, mac: plan.mac };
    const wait = sequence === state.sequence ? 0 : sequences.delay(host, clock.wallTime());
    if (wait > 0) {
      this.#damp(network, wait);
      return false;
    }
    this.#damped.cancel(network);
    sequences.raise({ ...host, sequence }, clock.wallTime());
    this.#networks.set(network, { ...state, sequence, unsettled: [] });
    return sequence !== state.sequence;
  }

  /** As {@link #settleClaims}, for hosts behind the bridge. */
  #settleHosts(network: string): boolean {
    const state = this.#networks.get(network);
    return state !== undefined && this.#isConverged(network) && state.hosts.settle(state.rib, state.plan);
  }

  #yieldHosts(network: string): void {
    const state = this.#networks.get(network);
    const lost = state?.hosts.yield(state.rib, state.plan) ?? [];
    if (state === undefined || lost.length === 0) return;
    state.rib.setOwnHosts(state.hosts.claims);
    void this.#announce();
    this.#markChanged(network);
    for (const mac of lost) this.emit("moved", network, mac);
  }

  #damp(network: string, milliseconds: number): void {
    if (!this.#damped.has(network)) {
      const addresses = this.#networks.get(network)?.unsettled;
      this.#options.log("warn", "a sequence number is not raised again for now", { network, addresses, milliseconds });
    }
    this.#damped.begin(network, milliseconds, () => {
      if (this.#settleClaims(network)) {
        void this.#announce();
      }
      this.#markChanged(network);
    });
  }

  async #announce(): Promise<void> {
    await Promise.all(
      [...this.#peerings].map(([key, peering]) => {
        const networks = this.#sessions.get(key)?.networks ?? [];
        const states = networks.flatMap((network) => this.#networks.get(network) ?? []);
        return peering.setRoutes(states.flatMap((state) => localRoutes({ ...state, hosts: state.hosts.claims })));
      }),
    );
  }

  /** Until a peer has sent everything, or the time for that is up. */
  #holdForwarding(network: string): void {
    this.#noteComplete(network);
    if (this.#isConverged(network)) {
      this.#hold.forget(network);
      return;
    }
    this.#hold.begin(network, () => this.#holdForwarding(network));
    const receiving = this.#peeringsOf(network).some(({ state }) => state === "Established");
    if (this.#hold.endIfDue(network, receiving)) {
      this.#options.log("warn", "no peer has sent its routes: forwarding entries from before are no longer kept", {
        network,
      });
      this.#markChanged(network);
    }
  }

  /**
   * At least one peer has sent everything, and for the first time no other is awaited: what it alone knows would be taken from the
   * kernel and put back.
   */
  #isConverged(network: string): boolean {
    return this.#complete.has(network) && this.#peeringsOf(network).some(({ whole }) => whole);
  }

  #noteComplete(network: string): void {
    const peerings = this.#peeringsOf(network);
    if (peerings.some(({ whole }) => whole) && !peerings.some(({ awaited }) => awaited)) this.#complete.add(network);
  }

  #isForwarding(network: string): boolean {
    return this.#isConverged(network) || this.#hold.isOver(network);
  }

  #peeringsOf(network: string): Peering[] {
    const plan = this.#networks.get(network)?.plan;
    const targets = plan === undefined ? [] : sessionTargets(plan);
    return targets.flatMap((target) => this.#peerings.get(sessionKey(target)) ?? []);
  }

  async #atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
    let cancel: (() => void) | undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#options.clock.schedule(milliseconds, resolve);
    });
    await Promise.race([work, timeout]);
    cancel?.();
  }

  #markChanged(network: string): void {
    this.#changed.add(network);
    if (this.#cancelEmit !== undefined) {
      return;
    }
    this.#cancelEmit = this.#options.clock.schedule(forwardingDelay, () => {
      this.#cancelEmit = undefined;
      const networks = [...this.#changed];
      this.#changed.clear();
      for (const name of networks) {
        this.emit("forwarding", name);
      }
    });
  }
}

function isSameSession({ parameters }: PlannedSession, { config }: Peering): boolean {
  return sessionDifference(parameters, config) === undefined;
}

function areSame(one: readonly Peering[], other: readonly Peering[]): boolean {
  return one.length === other.length && one.every((peering, index) => peering === other[index]);
}

function importersOf(
  sessions: ReadonlyMap<string, PlannedSession>,
  plans: ReadonlyMap<string, SpeakerPlan>,
): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  return new Map(
    [...sessions].map(([key, { networks }]) => {
      const byTarget = new Map<string, string[]>();
      for (const network of networks) {
        for (const target of new Set(plans.get(network)?.importRouteTargets)) {
          byTarget.set(target, [...(byTarget.get(target) ?? []), network]);
        }
      }
      return [key, byTarget] as const;
    }),
  );
}
