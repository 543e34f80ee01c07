import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { ForwardingChanges, ForwardingState } from "../../agent-image/agent/evpn/forwarding-state.js";
import type { Applied, KernelReconciler, ReconcileResult } from "../../agent-image/agent/kernel/index.js";
import { childEnd } from "../../lab/processes/index.js";
import type { Configuration, NodePlan, ObservedState, PlanCondition, Stay } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";

/** One comparison that an event asked for. */
export interface Pass {
  /** When it was done, by {@link monotonicTime}. */
  readonly at: number;
  /** Commands that put something back. */
  readonly repaired: readonly string[];
  readonly conflicts: readonly PlanCondition[];
  readonly stays: readonly Stay[];
}

/** Milliseconds of a clock that all processes of the machine share. */
export function monotonicTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

type Method =
  | { readonly method: "plan"; readonly configuration: Configuration }
  | { readonly method: "observe"; readonly plan?: NodePlan }
  | { readonly method: "reconcile"; readonly plan: NodePlan }
  | { readonly method: "applyForwarding"; readonly device: string; readonly state: ForwardingState }
  | { readonly method: "changeForwarding"; readonly device: string; readonly changes: ForwardingChanges }
  | { readonly method: "follow"; readonly plan: NodePlan }
  | { readonly method: "cleanUp" }
  | { readonly method: "passes" }
  | { readonly method: "dieAfter"; readonly operations: number }
  | { readonly method: "operations" };

export type Request = Method & { readonly id: number };

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** The product's KernelReconciler, running inside a network namespace. */
export class RemoteReconciler {
  private readonly child: ChildProcess;
  private lastId = 0;

  private constructor(child: ChildProcess) {
    this.child = child;
    child.setMaxListeners(0);
  }

  static start(namespaces: TestNamespaces, place: string): RemoteReconciler {
    const program = join(__dirname, "reconciler-process.js");
    const child = namespaces.spawn(place, [process.execPath, program], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    return new RemoteReconciler(child);
  }

  /** The plan that the node makes of a configuration, from what it observes of itself. */
  plan(configuration: Configuration): Promise<NodePlan> {
    return this.call({ method: "plan", configuration });
  }

  /** What the agent reads of the kernel, with what a comparison with this plan needs. */
  observe(plan?: NodePlan): Promise<ObservedState> {
    return this.call({ method: "observe", ...(plan === undefined ? {} : { plan }) });
  }

  reconcile(plan: NodePlan): Promise<ReconcileResult> {
    return this.call({ method: "reconcile", plan });
  }

  /** Undefined where the whole was not told before. */
  changeForwarding(device: string, changes: ForwardingChanges): Promise<Applied | undefined> {
    return this.call({ method: "changeForwarding", device, changes });
  }

  applyForwarding(device: string, state: ForwardingState): Promise<Applied> {
    return this.call({ method: "applyForwarding", device, state });
  }

  cleanUp(): ReturnType<KernelReconciler["cleanUp"]> {
    return this.call({ method: "cleanUp" });
  }

  /** From now on repairs whatever is changed, as the agent's loop does. */
  follow(plan: NodePlan): Promise<void> {
    return this.call({ method: "follow", plan });
  }

  /** All comparisons since {@link follow}. */
  passes(): Promise<readonly Pass[]> {
    return this.call({ method: "passes" });
  }

  /** Those that found something to put back. */
  async repairs(): Promise<readonly Pass[]> {
    return (await this.passes()).filter(({ repaired }) => repaired.length > 0);
  }

  /** It kills itself, as `kill -9` would, when it has done so much more to the kernel; see operation-budget.ts. */
  dieAfter(operations: number): Promise<void> {
    return this.call({ method: "dieAfter", operations });
  }

  /** What it has done to the kernel, one text for each operation. */
  operations(): Promise<readonly string[]> {
    return this.call({ method: "operations" });
  }

  async end(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    await childEnd(this.child);
  }

  private call<T>(method: Method): Promise<T> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const onMessage = (answer: Answer) => {
        if (answer.id !== id) return;
        this.child.off("message", onMessage);
        if (answer.error === undefined) resolve(answer.value as T);
        else reject(new Error(answer.error));
      };
      this.child.on("message", onMessage);
      this.child.once("exit", (code) => reject(new Error(`the reconciler ended with exit code ${code}`)));
      this.child.send({ id, ...method } satisfies Request);
    });
  }
}
