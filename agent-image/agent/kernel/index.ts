export { type Applied, apply } from "./apply.js";
export { CommandFailure, type CommandRunner, systemCommands } from "./command-runner.js";
export type { KernelMonitor } from "./kernel-monitor.js";
export { KernelReconciler, type KernelReconcilerOptions } from "./kernel-reconciler.js";
export { nodeFacts } from "./node-facts.js";
export { observe } from "./observe.js";
export type * from "./observed.js";
export { type Operation, operationText } from "./operation.js";
export { type NetworkOperations, type NodeOperations, operations, removeEverything } from "./operations.js";
export {
  isConverged,
  isUnchanged,
  type NetworkResult,
  type Outcome,
  type ReconcileResult,
} from "./reconcile-result.js";
export { SYSCTL_ROOT } from "./sysctl.js";
