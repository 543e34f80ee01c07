import {
  type BridgedHost,
  bridgedRemotely,
  type CleanUpPlan,
  cleanUpPlan,
  diffPlan,
  type ForwardingDifference,
  type ForwardingPlan,
  forwardingChangeOperations,
  forwardingOperations,
  linkFailures,
  madeInterfaces,
  type NetworkDiff,
  type NetworkPlan,
  type NodeFacts,
  type NodePlan,
  nodeFacts,
  type ObservedState,
  type Operation,
  operationText,
  type PlanCondition,
  type PlanDiff,
  type Stay,
  type StrayRemoval,
  segmentInterface,
  stay,
  tunnelOf,
} from "../../../model/index.js";
import type { ForwardingChanges } from "../evpn/forwarding-state.js";
import { addedByAnotherProgram } from "./added-by-another-program.js";
import { type Applied, apply, applyGroups, type OnError } from "./apply.js";
import { type CommandRunner, systemCommands } from "./command-runner.js";
import { type EventInterest, eventInterest, type WantedEntries } from "./event-interest.js";
import { type FdbWriter, NetlinkFdbWriter } from "./fdb-writer.js";
import { ForwardingMemory } from "./forwarding-memory.js";
import { type KernelMonitor, monitorKernel } from "./kernel-monitor.js";
import { type NetworkPrograms, networkPrograms } from "./network-programs.js";
import { observe, observeBridges, observeForwarding, observeNode } from "./observe.js";
import { monotonicClock, Pace, type PaceClock } from "./pace.js";
import type { NetworkResult, Outcome, ReconcileResult } from "./reconcile-result.js";
import { RemovalLimits } from "./removal-limits.js";
import { removedByAnotherProgram } from "./removed-by-another-program.js";
import { RepairLimit } from "./repair-limit.js";
import { repairedKind } from "./repaired-kind.js";
import { readSysctl, SYSCTL_ROOT } from "./sysctl.js";
import { SysctlWatch } from "./sysctl-watch.js";

export interface KernelReconcilerOptions {
  readonly commands?: CommandRunner;
  readonly sysctlRoot?: string;
  /** In the facts of the node. */
  readonly nodeName?: string;
  readonly clock?: PaceClock;
  /** Carries out what {@link KernelReconciler.applyForwarding} and {@link KernelReconciler.changeForwarding} find to do. */
  readonly fdb?: FdbWriter;
  /** What else on the node manages its network. */
  readonly programs?: () => Promise<NetworkPrograms>;
}

/**
 * Makes the kernel of the network namespace in which it runs equal to a node plan. Ending it leaves the kernel as it is. Its
 * methods may be called at any time; they run one after the other.
 */
export class KernelReconciler {
  private readonly commands: CommandRunner;
  private readonly sysctlRoot: string;
  private readonly nodeName: string;
  private readonly clock: PaceClock;
  private readonly fdb: FdbWriter;
  private readonly programs: () => Promise<NetworkPrograms>;
  private readonly queue = new SerialQueue();
  /** By network: what was carried out without an error, to tell a repair from a new plan. */
  private readonly carriedOut = new Map<string, CarriedOut>();
  private readonly limits = new Map<string, RepairLimit>();
  private loadedFilter: string | undefined;
  private readonly filterLimit = new RepairLimit();
  private readonly removalLimits = new RemovalLimits();
  /** Milliseconds until the first of what this pass puts off is due. */
  private putOff: number | undefined;
  private readonly forwarding = new ForwardingMemory();
  /** Bridges of the plan, by their VXLAN port. */
  private bridges: ReadonlyMap<string, string> = new Map();
  private interest: EventInterest | undefined;
  private pace: Pace | undefined;
  private sysctls: SysctlWatch | undefined;

  constructor(options: KernelReconcilerOptions = {}) {
    this.commands = options.commands ?? systemCommands;
    this.sysctlRoot = options.sysctlRoot ?? SYSCTL_ROOT;
    this.nodeName = options.nodeName ?? "";
    this.clock = options.clock ?? monotonicClock;
    this.fdb = options.fdb ?? new NetlinkFdbWriter();
    this.programs = options.programs ?? networkPrograms;
  }

  /** Reads the kernel; with a plan, also what {@link diffPlan} needs to compare with it. */
  observe(plan?: NodePlan): Promise<ObservedState> {
    return observe(this.commands, this.sysctlRoot, plan);
  }

  /** What planning needs to know of the node; without labels, which the kernel does not know. */
  async facts(): Promise<NodeFacts> {
    return nodeFacts(await observeNode(this.commands, this.sysctlRoot), this.nodeName, {});
  }

  /**
   * Compares and changes what differs.
   *
   * @throws only when the kernel cannot be read; what cannot be changed is in the result.
   */
  reconcile(plan: NodePlan): Promise<ReconcileResult> {
    return this.queue.run(async () => {
      this.pace?.passBegins();
      try {
        return await this.compare(plan);
      } finally {
        this.pace?.passEnds();
      }
    });
  }

  /** Makes the FDB of a network's VXLAN interface equal to the routes, now and after each {@link reconcile}. */
  applyForwarding(device: string, state: ForwardingPlan): Promise<Applied> {
    this.forwarding.want(device, state);
    return this.queue.run(() => this.writeForwarding(device, this.forwarding.takeUnwritten(device)));
  }

  /**
   * The same with what the routes have changed since the last call.
   *
   * @returns undefined where the whole is not known to which the changes belong
   */
  changeForwarding(device: string, changes: ForwardingChanges): Promise<Applied> | undefined {
    if (!this.forwarding.change(device, changes)) return undefined;
    return this.queue.run(() => this.writeForwarding(device, this.forwarding.takeUnwritten(device)));
  }

  /** A host that the bridge of this VXLAN interface knows behind another port is elsewhere in the segment now. */
  releaseHost(device: string, mac: string): Promise<Applied> {
    return this.queue.run(() => this.fdb.apply([bridgedRemotely(device, mac)]));
  }

  /** What {@link cleanUp} would do now. */
  async planCleanUp(): Promise<CleanUpPlan> {
    return cleanUpPlan(await this.observe());
  }

  /** Removes everything of ours. Only on request: leaving is not cleaning. */
  cleanUp(): Promise<Applied & Omit<CleanUpPlan, "operations">> {
    return this.queue.run(async () => {
      this.carriedOut.clear();
      this.loadedFilter = undefined;
      this.forwarding.retain(new Set());
      const { operations, ...rest } = await this.planCleanUp();
      return { ...(await this.apply(operations, "continue")), ...rest };
    });
  }

  /**
   * Tells when to call {@link reconcile} again: what the kernel did may concern the plan that was compared last. See {@link Pace} for
   * how often; own changes are told as well.
   *
   * @param onHosts who is behind the bridges may have changed
   */
  watch(onChange: () => void, onHosts?: () => void): KernelMonitor {
    const pace = new Pace(onChange, this.clock);
    const sysctls = new SysctlWatch(
      (name) => readSysctl(this.sysctlRoot, name),
      () => pace.event(),
    );
    const monitor = monitorKernel(pace, () => this.interest, undefined, onHosts);
    this.pace = pace;
    this.sysctls = sysctls;
    sysctls.start();
    return {
      close() {
        sysctls.close();
        monitor.close();
      },
    };
  }

  /** All that is wanted when it begins: a later call may have overtaken this one in the queue. */
  private async writeForwarding(device: string, difference: ForwardingDifference | undefined): Promise<Applied> {
    try {
      const operations =
        difference === undefined
          ? await this.comparedOperations(device)
          : await this.changeOperations(device, difference);
      const applied = await this.fdb.apply(operations);
      this.forwarding.wrote(device, applied.errors.length === 0);
      return applied;
    } catch (error) {
      this.forwarding.wrote(device, false);
      return { done: [], errors: [error instanceof Error ? error.message : String(error)] };
    }
  }

  private async changeOperations(device: string, difference: ForwardingDifference): Promise<readonly Operation[]> {
    const bridged = difference.hosts.length === 0 ? undefined : await this.bridgedHosts(device);
    return forwardingChangeOperations(device, difference, bridged);
  }

  private async comparedOperations(device: string): Promise<readonly Operation[]> {
    const held = (await observeForwarding(this.commands, [device]))[device] ?? [];
    const bridged = await this.bridgedHosts(device);
    const wanted = this.forwarding.whole(device);
    return wanted === undefined ? [] : forwardingOperations(device, wanted, held, bridged);
  }

  /** Undefined without a bridge. */
  private async bridgedHosts(device: string): Promise<readonly BridgedHost[] | undefined> {
    const bridge = this.bridges.get(device);
    return bridge === undefined ? undefined : ((await observeBridges(this.commands, [bridge]))[bridge] ?? []);
  }

  private apply(list: readonly Operation[], onError: OnError): Promise<Applied> {
    return apply(this.commands, this.sysctlRoot, list, onError);
  }

  private async compare(plan: NodePlan): Promise<ReconcileResult> {
    const observed = await this.observe(plan);
    const needed = diffPlan(observed, plan);
    this.forgetAbsent(plan);
    this.bridges = bridgesOf(plan);
    this.putOff = undefined;
    const works = this.works(plan, needed, observed);
    const isNewPlan = this.removalLimits.begin(
      [...works.map(({ text }) => text), JSON.stringify(plan.unplanned)].join("\n"),
    );
    const strayRules = needed.strayRules.filter(({ network }) => this.mayRemove(network));
    const strays = await this.apply(
      strayRules.map(({ operation }) => operation),
      "continue",
    );
    const mayDepart = needed.departed.length + needed.departedRules.length === 0 || this.mayRemove(undefined);
    const guards = await this.apply(needed.guards, "continue");
    const rules = await this.applyAll(
      works.filter(({ withheld }) => !withheld),
      ({ diff }) => diff.rules,
      "continue",
    );
    const node = await this.applyNode(needed, mayDepart ? needed.departed : []);
    const networks = await this.applyNetworks(works, rules, node.filterErrors);
    const departedRules = await this.apply(mayDepart ? needed.departedRules : [], "continue");
    this.countRemovals(strayRules, strays.done, [...node.departed, ...departedRules.done]);
    if (this.putOff !== undefined) this.pace?.eventIn(this.putOff);
    const { results, stays } = await this.withContests(plan, networks, needed.stays);
    // A foreign port that leaves its bridge is an event of the port's interface, which no plan names.
    const blocked = stays.length > 0 || results.some(({ conflicts, errors }) => conflicts.length + errors.length > 0);
    this.sysctls?.expect(plan.networks.flatMap((network) => network.sysctls));
    this.interest = eventInterest(plan, observed, blocked, this.wantedEntries(plan));
    // What belongs to no network was given up by a new plan; without one somebody else has put it in.
    const givenUp = (done: readonly string[]) => (isNewPlan ? done : []);
    const putIn = (done: readonly string[]) => (isNewPlan ? [] : done);
    const outcome = {
      ...node.outcome,
      applied: [...guards.done, ...givenUp(node.departed), ...node.outcome.applied, ...givenUp(departedRules.done)],
      repaired: [...strays.done, ...putIn(node.departed), ...node.outcome.repaired, ...putIn(departedRules.done)],
      errors: [...strays.errors, ...guards.errors, ...node.outcome.errors, ...departedRules.errors],
    };
    return { node: outcome, networks: results, stays, facts: nodeFacts(observed, this.nodeName, {}) };
  }

  private async applyNode(needed: PlanDiff, departing: readonly Operation[]): Promise<NodeOutcome> {
    const departed = await this.apply(departing, "continue");
    const [operation] = needed.filter;
    const ruleset = operation?.kind === "filter" ? operation.ruleset : undefined;
    const repair = ruleset !== undefined && ruleset === this.loadedFilter;
    const withheld = repair && this.isWithheld(this.filterLimit, needed.filter);
    const filter = withheld ? nothing : await this.apply(needed.filter, "stop");
    if (operation !== undefined && !withheld && filter.errors.length === 0) this.loadedFilter = ruleset;
    return {
      outcome: {
        applied: repair ? [] : filter.done,
        repaired: repair ? filter.done : [],
        errors: [...departed.errors, ...filter.errors],
      },
      departed: departed.done,
      filterErrors: withheld ? ["another program keeps removing it"] : filter.errors,
    };
  }

  /** What each network needs, whether it is a repair, and whether it may be done now. */
  private works(plan: NodePlan, needed: PlanDiff, observed: ObservedState): readonly NetworkWork[] {
    const diffs = new Map(needed.networks.map((diff) => [diff.network, diff]));
    return plan.networks.flatMap((network) => {
      const diff = diffs.get(network.network);
      if (diff === undefined) return [];
      const routes = this.forwardingOperations(network, diff, observed);
      const rest = [...diff.additions, ...diff.removals, ...(routes ?? [])];
      const text = JSON.stringify(network);
      const before = this.carriedOut.get(network.network);
      const again = before?.text === text;
      const withheld = again && this.isWithheld(this.limitOf(network.network), [...diff.rules, ...diff.link, ...rest]);
      const repair = again && before.conflicts === JSON.stringify(diff.conflicts);
      return [{ plan: network, diff, rest, hasRoutes: routes !== undefined, text, repair, withheld }];
    });
  }

  private async applyNetworks(
    works: readonly NetworkWork[],
    rules: ReadonlyMap<NetworkWork, Applied>,
    filterErrors: readonly string[],
  ): Promise<readonly NetworkResult[]> {
    // An interface without its segment filter would let the segment reach pods and the node itself.
    const isUnsafe = ({ diff }: NetworkWork) => diff.link.length > 0 && filterErrors.length > 0;
    const active = works.filter((work) => !work.withheld && !isUnsafe(work));
    const links = await this.applyAll(active, ({ diff }) => diff.link, "stop");
    const linked = active.filter((work) => links.get(work)?.errors.length === 0);
    const rests = await this.applyAll(linked, ({ rest }) => rest, "continue");
    return works.map((work) => {
      const of = (applied: ReadonlyMap<NetworkWork, Applied>) => applied.get(work) ?? nothing;
      const [rule, link, rest] = [of(rules), of(links), of(rests)] as const;
      const done = [...rule.done, ...link.done, ...rest.done];
      const unsafe = `${work.plan.link.name} is left as it is until the nft table is loaded: ${filterErrors.join("; ")}`;
      const refused = linkFailures(link.errors);
      const failed = [...rule.errors, ...(refused.length === 0 ? link.errors : []), ...rest.errors];
      const errors = isUnsafe(work) && !work.withheld ? [unsafe] : failed;
      this.remember(work, [...link.errors, ...errors]);
      return {
        network: work.plan.network,
        isLinkNew: work.diff.fresh && link.errors.length === 0,
        applied: work.repair ? [] : done,
        repaired: work.repair ? done : [],
        errors,
        conflicts: [...work.diff.conflicts, ...refused],
      };
    });
  }

  /** One list of each network, all in as few processes as possible. */
  private async applyAll(
    works: readonly NetworkWork[],
    operations: (work: NetworkWork) => readonly Operation[],
    onError: OnError,
  ): Promise<ReadonlyMap<NetworkWork, Applied>> {
    const applied = await applyGroups(this.commands, this.sysctlRoot, works.map(operations), onError);
    return new Map(works.map((work, index) => [work, applied[index] ?? nothing]));
  }

  private remember({ plan, diff, text, hasRoutes, withheld }: NetworkWork, errors: readonly string[]): void {
    this.forwarding.wrote(segmentInterface(plan.link), hasRoutes && !withheld && errors.length === 0);
    if (errors.length > 0) return;
    this.carriedOut.set(plan.network, { text, conflicts: JSON.stringify(diff.conflicts) });
  }

  /** Undefined where nothing is known of routes, or the interface is not ours. */
  private forwardingOperations(
    plan: NetworkPlan,
    diff: NetworkDiff,
    observed: ObservedState,
  ): readonly Operation[] | undefined {
    const device = segmentInterface(plan.link);
    const entries = diff.fresh ? [] : observed.forwarding[device];
    const state = this.forwarding.whole(device);
    if (state === undefined || plan.speaker === undefined || entries === undefined) return undefined;
    const bridged = diff.fresh ? [] : (observed.bridged?.[device] ?? []);
    return forwardingOperations(device, state, entries, plan.link.kind === "bridge" ? bridged : undefined);
  }

  private limitOf(network: string): RepairLimit {
    const known = this.limits.get(network) ?? new RepairLimit();
    this.limits.set(network, known);
    return known;
  }

  /** Counts the repair that is due, or puts it off where there were too many. */
  private isWithheld(limit: RepairLimit, operations: readonly Operation[]): boolean {
    if (operations.length === 0) return false;
    const now = this.clock.now();
    const wait = limit.wait(now);
    if (wait > 0) this.putOffBy(wait);
    else limit.repaired(now, operations.map(repairedKind));
    return wait > 0;
  }

  /** Or puts it off, where another program has put it in too often. */
  private mayRemove(network: string | undefined): boolean {
    const wait = this.removalLimits.wait(network, this.clock.now());
    if (wait > 0) this.putOffBy(wait);
    return wait === 0;
  }

  private putOffBy(milliseconds: number): void {
    this.putOff = Math.min(milliseconds, this.putOff ?? milliseconds);
  }

  private countRemovals(
    strayRules: readonly StrayRemoval[],
    strays: readonly string[],
    departures: readonly string[],
  ): void {
    const networks = new Map(strayRules.map(({ operation, network }) => [operationText(operation), network]));
    const now = this.clock.now();
    this.removalLimits.removed(now, [
      ...strays.map((command) => ({ command, network: networks.get(command) })),
      ...departures.map((command) => ({ command, network: undefined })),
    ]);
  }

  /** What other programs keep undoing or putting in is said of the network that it concerns, else of the node. */
  private async withContests(
    plan: NodePlan,
    networks: readonly NetworkResult[],
    stays: readonly Stay[],
  ): Promise<{ readonly results: readonly NetworkResult[]; readonly stays: readonly Stay[] }> {
    const contested = await this.contested(plan);
    const added = await this.added();
    const results = networks.map((result) => ({
      ...result,
      conflicts: [
        ...result.conflicts,
        ...(contested.get(result.network) ?? []),
        ...(contested.get(undefined) ?? []),
        ...(added.get(result.network) ?? []),
      ],
    }));
    const carried = new Set<string | undefined>(networks.map(({ network }) => network));
    const others = [...added].filter(([network]) => !carried.has(network));
    return {
      results,
      stays: [...stays, ...others.flatMap(([network, conditions]) => conditions.map((one) => stay(one, network)))],
    };
  }

  /** What another program puts in again and again although no plan has it, by network. */
  private async added(): Promise<ReadonlyMap<string | undefined, readonly PlanCondition[]>> {
    const contested = this.removalLimits.contested(this.clock.now());
    if (contested.size === 0) return new Map();
    const programs = await this.programs();
    return new Map([...contested].map(([network, commands]) => [network, [addedByAnotherProgram(commands, programs)]]));
  }

  /** By network; undefined stands for what belongs to the whole node. */
  private async contested(plan: NodePlan): Promise<ReadonlyMap<string | undefined, readonly PlanCondition[]>> {
    const now = this.clock.now();
    const devices = new Map(plan.networks.map(({ network, link }) => [network, link.name]));
    const kinds = [[undefined, this.filterLimit] as const, ...this.limits]
      .map(([network, limit]) => [network, limit.contestedKinds(now)] as const)
      .filter(([, contested]) => contested.size > 0);
    if (kinds.length === 0) return new Map();
    const programs = await this.programs();
    return new Map(
      kinds.map(([network, contested]) => [
        network,
        [removedByAnotherProgram(contested, programs, network === undefined ? undefined : devices.get(network))],
      ]),
    );
  }

  private wantedEntries(plan: NodePlan): (device: string) => WantedEntries | undefined {
    const floods = new Map(
      plan.networks
        .filter(({ link, speaker }) => tunnelOf(link) !== undefined && speaker === undefined)
        .map((network) => [
          segmentInterface(network.link),
          { flood: new Set(network.flood), hosts: new Map<string, string>() },
        ]),
    );
    return (device) => floods.get(device) ?? this.forwarding.wanted(device);
  }

  private forgetAbsent(plan: NodePlan): void {
    const networks = new Set(plan.networks.map(({ network }) => network));
    for (const network of this.carriedOut.keys()) if (!networks.has(network)) this.carriedOut.delete(network);
    for (const network of this.limits.keys()) if (!networks.has(network)) this.limits.delete(network);
    this.removalLimits.forgetAbsent(new Set([...networks, ...plan.unplanned.map(({ network }) => network)]));
    this.forwarding.retain(
      new Set([
        // Without BGP its routes count no more: back with BGP, they would take the place of its remotes before any peer is heard.
        ...plan.networks.flatMap(({ link, speaker }) => (speaker === undefined ? [] : madeInterfaces(link))),
        ...plan.unplanned.flatMap(({ interfaces }) => interfaces),
      ]),
    );
  }
}

function bridgesOf(plan: NodePlan): ReadonlyMap<string, string> {
  return new Map(
    plan.networks.flatMap(({ link }): [string, string][] =>
      link.kind === "bridge" ? [[link.tunnel.name, link.name]] : [],
    ),
  );
}

interface CarriedOut {
  readonly text: string;
  /** What was in the way; what becomes possible when it goes is no repair. */
  readonly conflicts: string;
}

interface NetworkWork {
  readonly plan: NetworkPlan;
  readonly diff: NetworkDiff;
  /** What follows once the interface is as planned. */
  readonly rest: readonly Operation[];
  /** `rest` brings in the forwarding entries of EVPN routes. */
  readonly hasRoutes: boolean;
  readonly text: string;
  readonly repair: boolean;
  /** Another program undoes this network's repairs, and the next one is not due yet. */
  readonly withheld: boolean;
}

const nothing: Applied = { done: [], errors: [] };

interface NodeOutcome {
  readonly outcome: Outcome;
  /** Commands that removed what belongs to no network. */
  readonly departed: readonly string[];
  readonly filterErrors: readonly string[];
}

/** Two comparisons at once would both add what is missing. */
class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work);
    this.tail = result.catch(() => undefined);
    return result;
  }
}
