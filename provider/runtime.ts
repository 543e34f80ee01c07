/**
 * What the serialised providers (shell.ts) require by name. It is an entry of the package, so its behaviour is always that
 * of the installed version, also for resources whose state an earlier version wrote.
 */
import "./require-node.js";
import { agentRolloutOperations } from "./agent-rollout/operations.js";
import { processEnvironment, type StackConfiguration } from "./environment.js";
import { networkStateOperations } from "./network-state/operations.js";
import { nodeReportsOperations } from "./node-reports/operations.js";

/** One provider process serves one stack; the engine hands its configuration over before any other call. */
let stackConfiguration: StackConfiguration = () => undefined;

export function configure(request: { readonly config: { get(key: string): string | undefined } }): void {
  stackConfiguration = (key) => request.config.get(key);
}

const environment = processEnvironment((key) => stackConfiguration(key));

export const networkState = networkStateOperations(environment);
export const agentRollout = agentRolloutOperations(environment);
export const nodeReports = nodeReportsOperations(environment);
