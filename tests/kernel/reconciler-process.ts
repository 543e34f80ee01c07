/** The kernel reconciler as a process of its own, so that it can run in a network namespace; see remote-reconciler.ts. */
import { KernelReconciler, observe, SYSCTL_ROOT, systemCommands } from "../../agent-image/agent/kernel/index.js";
import { type NodePlan, nodeFacts, planNode } from "../../model/index.js";
import type { Answer, Repair, Request } from "./remote-reconciler.js";

const reconciler = new KernelReconciler();
const repairs: Repair[] = [];

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
    case "cleanUp":
      return reconciler.cleanUp();
    case "follow":
      follow(request.plan);
      return undefined;
    case "repairs":
      return repairs;
  }
}

/** What the agent's loop does with one plan. */
function follow(plan: NodePlan): void {
  reconciler.watch(() => {
    void reconciler.reconcile(plan).then(({ node, networks }) => {
      const commands = [node, ...networks].flatMap(({ repaired }) => repaired);
      if (commands.length > 0) repairs.push({ at: Date.now(), commands });
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
