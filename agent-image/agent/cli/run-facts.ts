import { nodeFacts } from "../../../model/index.js";
import { KernelReconciler } from "../kernel/index.js";

export interface FactsOptions {
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sysctlRoot: string;
}

/** Prints what planning has to know of this node, as `vlan-router plan --node` reads it. Changes nothing. */
export async function runFacts({ nodeName, labels, sysctlRoot }: FactsOptions): Promise<void> {
  const observed = await new KernelReconciler({ sysctlRoot }).observe();
  process.stdout.write(`${JSON.stringify(nodeFacts(observed, nodeName, labels), undefined, 2)}\n`);
}
