import {
  diffPlan,
  forwardingOperations,
  type NetworkDiff,
  type NetworkPlan,
  type NodePlan,
  type ObservedState,
  type Operation,
  type PlanDiff,
  removeEverything,
} from "../../../model/index.js";
import type { ForwardingState } from "../evpn/forwarding-state.js";
import { type Applied, apply } from "./apply.js";
import { type CommandRunner, systemCommands } from "./command-runner.js";
import { type KernelMonitor, monitorKernel } from "./kernel-monitor.js";
import { observe, observeForwarding } from "./observe.js";
import type { NetworkResult, Outcome, ReconcileResult } from "./reconcile-result.js";
import { SYSCTL_ROOT } from "./sysctl.js";

export interface KernelReconcilerOptions {
  readonly commands?: CommandRunner;
  readonly sysctlRoot?: string;
}

/**
 * Makes the kernel of the network namespace in which it runs equal to a node plan. Ending it leaves the kernel as it is. Its
 * methods may be called at any time; they run one after the other.
 */
export class KernelReconciler {
  private readonly commands: CommandRunner;
  private readonly sysctlRoot: string;
  private readonly queue = new SerialQueue();
  /** Plans that were carried out whole, to tell a repair from a new plan. */
  private carriedOut = new Map<string, string>();
  private loadedFilter: string | undefined;
  /** What the EVPN routes said last, by device; put back when the interface had to be made again. */
  private readonly forwarding = new Map<string, ForwardingState>();

  constructor(options: KernelReconcilerOptions = {}) {
    this.commands = options.commands ?? systemCommands;
    this.sysctlRoot = options.sysctlRoot ?? SYSCTL_ROOT;
  }

  /** Reads the kernel; with a plan, also what {@link diffPlan} needs to compare with it. */
  observe(plan?: NodePlan): Promise<ObservedState> {
    return observe(this.commands, this.sysctlRoot, plan);
  }

  /**
   * Compares and changes what differs.
   *
   * @throws only when the kernel cannot be read; what cannot be changed is in the result.
   */
  reconcile(plan: NodePlan): Promise<ReconcileResult> {
    return this.queue.run(async () => {
      const observed = await this.observe(plan);
      const needed = diffPlan(observed, plan);
      const node = await this.applyNode(needed);
      const networks: NetworkResult[] = [];
      for (const network of plan.networks) {
        const own = needed.networks.find((entry) => entry.network === network.network);
        if (own !== undefined) networks.push(await this.applyNetwork(network, own, observed, node.filterErrors));
      }
      this.forgetAbsent(plan);
      return { node: node.outcome, networks };
    });
  }

  /** Makes the FDB of a network's VXLAN interface equal to the routes, now and after each {@link reconcile}. */
  applyForwarding(device: string, state: ForwardingState): Promise<Applied> {
    this.forwarding.set(device, state);
    return this.queue.run(async () => {
      // The latest state: a later call may have overtaken this one in the queue.
      const latest = this.forwarding.get(device) ?? state;
      try {
        const entries = await observeForwarding(this.commands, device);
        return await this.apply(forwardingOperations(device, latest, entries), "continue");
      } catch (error) {
        return { done: [], errors: [error instanceof Error ? error.message : String(error)] };
      }
    });
  }

  /** Removes everything of ours. Only on request: leaving is not cleaning. */
  cleanUp(): Promise<Applied> {
    return this.queue.run(async () => {
      this.carriedOut.clear();
      this.loadedFilter = undefined;
      this.forwarding.clear();
      return this.apply(removeEverything(await this.observe()), "continue");
    });
  }

  /** Tells when to call {@link reconcile} again; see {@link monitorKernel}. Own changes are told as well. */
  watch(onChange: () => void): KernelMonitor {
    return monitorKernel(onChange);
  }

  private apply(list: readonly Operation[], onError: "stop" | "continue"): Promise<Applied> {
    return apply(this.commands, this.sysctlRoot, list, onError);
  }

  private async applyNode(needed: PlanDiff): Promise<NodeOutcome> {
    const departed = await this.apply(needed.departed, "continue");
    const filter = await this.apply(needed.filter, "stop");
    const [operation] = needed.filter;
    const ruleset = operation?.kind === "filter" ? operation.ruleset : undefined;
    const repair = ruleset !== undefined && ruleset === this.loadedFilter;
    if (operation !== undefined && filter.errors.length === 0) this.loadedFilter = ruleset;
    return {
      outcome: {
        applied: [...departed.done, ...(repair ? [] : filter.done)],
        repaired: repair ? filter.done : [],
        errors: [...departed.errors, ...filter.errors],
      },
      filterErrors: filter.errors,
    };
  }

  private async applyNetwork(
    plan: NetworkPlan,
    needed: NetworkDiff,
    observed: ObservedState,
    filterErrors: readonly string[],
  ): Promise<NetworkResult> {
    const outcome = await this.applyInOrder(plan, needed, observed, filterErrors);
    const text = JSON.stringify(plan);
    const unchanged = this.carriedOut.get(plan.network) === text;
    if (outcome.errors.length === 0 && needed.conflicts.length === 0) this.carriedOut.set(plan.network, text);
    return {
      network: plan.network,
      applied: unchanged ? [] : outcome.done,
      repaired: unchanged ? outcome.done : [],
      errors: outcome.errors,
      conflicts: needed.conflicts,
    };
  }

  private async applyInOrder(
    plan: NetworkPlan,
    needed: NetworkDiff,
    observed: ObservedState,
    filterErrors: readonly string[],
  ): Promise<Applied> {
    const device = plan.link.name;
    // An interface without its segment filter would let the segment reach pods and the node itself.
    if (needed.link.length > 0 && filterErrors.length > 0) {
      return {
        done: [],
        errors: [`${device} is left as it is until the nft table is loaded: ${filterErrors.join("; ")}`],
      };
    }
    const link = await this.apply(needed.link, "stop");
    if (link.errors.length > 0) return link;
    const rest = await this.apply([...needed.additions, ...needed.removals], "continue");
    const state = this.forwarding.get(device);
    const entries = needed.fresh ? [] : (observed.forwarding[device] ?? []);
    const forwarding =
      state === undefined || plan.speaker === undefined
        ? { done: [], errors: [] }
        : await this.apply(forwardingOperations(device, state, entries), "continue");
    return {
      done: [...link.done, ...rest.done, ...forwarding.done],
      errors: [...rest.errors, ...forwarding.errors],
    };
  }

  private forgetAbsent(plan: NodePlan): void {
    const networks = new Set(plan.networks.map(({ network }) => network));
    const devices = new Set([
      ...plan.networks.map(({ link }) => link.name),
      ...plan.unplanned.map(({ device }) => device),
    ]);
    for (const network of this.carriedOut.keys()) if (!networks.has(network)) this.carriedOut.delete(network);
    for (const device of this.forwarding.keys()) if (!devices.has(device)) this.forwarding.delete(device);
  }
}

interface NodeOutcome {
  readonly outcome: Outcome;
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
