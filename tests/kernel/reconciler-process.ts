/** The kernel reconciler as a process of its own, so that it can run in a network namespace; see remote-reconciler.ts. */
import {
  KernelReconciler,
  NetlinkFdbWriter,
  observe,
  SYSCTL_ROOT,
  systemCommands,
} from "../../agent-image/agent/kernel/index.js";
import { type NodePlan, nodeFacts, planNode } from "../../model/index.js";
import { OperationBudget } from "./operation-budget.js";
import { type Answer, monotonicTime, type Pass, type Request } from "./remote-reconciler.js";

const budget = new OperationBudget(systemCommands);
const reconciler = new KernelReconciler({ commands: budget, fdb: budget.fdb(new NetlinkFdbWriter()) });
const passes: Pass[] = [];

async function answer(request: Request): Promise<unknown> {
  switch (request.method) {
    case "plan": {
      const observed = await observe(systemCommands, SYSCTL_ROOT);
      return planNode(request.configuration, nodeFacts(observed, "n1", {}));
    }
    case "observe":
      return reconciler.observe(request.plan);
    case "reconcile":
      return reconciler.reconcile(request.plan);
    case "applyForwarding":
      return reconciler.applyForwarding(request.device, request.state);
    case "changeForwarding":
      return reconciler.changeForwarding(request.device, request.changes);
    case "cleanUp":
      return reconciler.cleanUp();
    case "follow":
      follow(request.plan);
      return undefined;
    case "passes":
      return passes;
    case "dieAfter":
      budget.limit(request.operations);
      return undefined;
    case "operations":
      return budget.done;
  }
}

/** What the agent's loop does with one plan: one comparison at a time, and another one when it was asked for meanwhile. */
function follow(plan: NodePlan): void {
  reconciler.watch(() => {
    void reconciler.reconcile(plan).then(({ node, networks, stays }) => {
      passes.push({
        at: monotonicTime(),
        repaired: [node, ...networks].flatMap(({ repaired }) => repaired),
        conflicts: networks.flatMap(({ conflicts }) => conflicts),
        stays,
      });
    });
  });
}

process.on("message", (request: Request) => {
  answer(request).then(
    (value) => process.send?.({ id: request.id, value } satisfies Answer),
    (error: Error) => process.send?.({ id: request.id, error: error.stack ?? error.message } satisfies Answer),
  );
});
process.on("disconnect", () => process.exit());
