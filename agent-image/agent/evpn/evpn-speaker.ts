import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { ForwardingPlan, PlanCondition, SessionStatus, SpeakerPlan } from "../../../model/index.js";
import { sessionDifference } from "../../../model/node-plan/shared-session.js";
import { type BfdMonitor, BfdService } from "../bfd/bfd-service.js";
import type { RouteChange } from "../bgp/rib/adj-rib-in.js";
import { MacMoves } from "../bgp/rib/duplicate-detection.js";
import { type Clock, systemClock } from "../bgp/session/clock.js";
import { discardSocket } from "../bgp/session/discard-socket.js";
import {
  administrativeShutdown,
  type Farewell,
  otherConfigurationChange,
  peerDeconfigured,
} from "../bgp/session/farewell.js";
import { type ListenerFactory, tcpListener } from "../bgp/session/listener.js";
import type { SessionTarget, SocketFactory } from "../bgp/session/session-target.js";
import { tcpSocket } from "../bgp/session/tcp-socket.js";
import { AddressClaims } from "./address-claims.js";
import { ForwardingHold } from "./forwarding-hold.js";
import type { ForwardingChanges, ForwardingState } from "./forwarding-state.js";
import { HostClaims, type LocalHost } from "./host-claims.js";
import { distribute, type Importers, importersOf } from "./importers.js";
import { Listening } from "./listening.js";
import { type LocalState, localRoutes } from "./local-routes.js";
import type { Log } from "./log.js";
import type { Neighbour } from "./neighbour.js";
import { networkFindings } from "./network-findings.js";
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
  readonly claims: AddressClaims;
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
  readonly #listening: Listening;
  #sessions: ReadonlyMap<string, PlannedSession> = new Map();
  /** By session. */
  #importers: ReadonlyMap<string, Importers> = new Map();
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
        this.#networks.get(name)?.claims.close();
        this.#networks.delete(name);
        this.#complete.delete(name);
        this.#hold.forget(name);
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
    state.claims.set(addresses);
    state.rib.setOwnAddresses(state.claims.addresses);
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
    return state?.claims.contested(state.rib, state.plan) ?? [];
  }

  /** All networks and addresses of the start are declared: End-of-RIB may be sent (RFC 4724 section 2). */
  initialStateKnown(): void {
    this.#initialStateKnown = true;
    for (const peering of this.#peerings.values()) {
      peering.initialStateKnown();
    }
  }

  /**
   * The interface of a network is new, and no forwarding entry stands in it: what the first peers send is forwarded as it comes, for
   * nothing can be taken away by what is still missing.
   */
  nothingToKeep(network: string): void {
    if (!this.#networks.has(network) || this.#isConverged(network)) return;
    this.#hold.skip(network);
    this.#markChanged(network);
  }

  /** By network: why it is not spoken as it was declared last. */
  refusals(): ReadonlyMap<string, PlanCondition> {
    return this.#refusals;
  }

  /** By network: what is wrong with its routes although sessions are up. */
  notices(): ReadonlyMap<string, readonly PlanCondition[]> {
    const used = new Set([...this.#networks.values()].flatMap(({ plan }) => plan.importRouteTargets));
    const now = this.#options.clock.now();
    return new Map(
      [...this.#networks].flatMap(([network, { plan, rib, claims, moves }]) => {
        const observed = { plan, rib, claims, duplicates: moves.duplicates(now), peerings: this.#peeringsOf(network) };
        const findings = networkFindings(observed, used, (local) => this.#listening.failure(local));
        return findings.length === 0 ? [] : [[network, findings] as const];
      }),
    );
  }

  /** What the network speaks as; undefined where it does not. */
  plan(network: string): SpeakerPlan | undefined {
    return this.#networks.get(network)?.plan;
  }

  /** One for each peer of the network, in the order of the plan. */
  neighbours(network: string): readonly Neighbour[] {
    const imported = this.#networks.get(network)?.plan.importRouteTargets ?? [];
    return this.#peeringsOf(network).map((peering) => peering.neighbour(imported));
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
   * how long, and {@link nothingToKeep}.
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
    }
    for (const { hosts, claims } of this.#networks.values()) {
      hosts.close();
      claims.close();
    }
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
    const moves = known?.moves ?? new MacMoves();
    const rib = new NetworkRib(plan, (mac, from, to) => moves.note(mac, from, to, this.#options.clock.now()));
    const claims = known?.claims.mac === plan.mac ? known.claims : this.#addressClaims(network, known, plan);
    rib.setOwnAddresses(claims.addresses);
    const hosts = known?.hosts ?? this.#hostClaims(network, moves);
    rib.setOwnHosts(hosts.claims);
    return { plan, rib, told: false, sources: [], claims, moves, hosts };
  }

  #addressClaims(network: string, known: NetworkState | undefined, { mac }: SpeakerPlan): AddressClaims {
    known?.claims.close();
    const { sequences, clock, log } = this.#options;
    const onDue = (): void => {
      if (this.#settleClaims(network)) {
        void this.#announce();
      }
      this.#markChanged(network);
    };
    return new AddressClaims({ network, mac, sequences, clock, log, onDue }, known?.claims.addresses ?? []);
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
      if (planned !== undefined && peering.returning) {
        this.#returning.add(key);
        for (const network of planned.networks) this.#complete.delete(network);
      }
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
    distribute(changes, importers, (change, network, route) => {
      const rib = this.#networks.get(network)?.rib;
      if (rib === undefined) return;
      rib[change](route);
      this.#markChanged(network);
    });
    for (const network of new Set([...importers.values()].flat())) this.#yieldHosts(network);
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

  /** Returns whether the number of our MAC has changed. */
  #settleClaims(network: string): boolean {
    const state = this.#networks.get(network);
    return state !== undefined && this.#isConverged(network) && state.claims.settle(state.rib, state.plan);
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

  async #announce(): Promise<void> {
    await Promise.all(
      [...this.#peerings].map(([key, peering]) => {
        const networks = this.#sessions.get(key)?.networks ?? [];
        const states = networks.flatMap((network) => this.#networks.get(network) ?? []);
        return peering.setRoutes(states.flatMap((state) => localRoutes(localStateOf(state))));
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

function localStateOf({ plan, claims, hosts }: NetworkState): LocalState {
  return { plan, addresses: claims.addresses, sequence: claims.sequence, hosts: hosts.claims };
}
