export { type Applied, apply } from "./apply.js";
export { CommandFailure, type CommandRunner, systemCommands } from "./command-runner.js";
export type { KernelMonitor } from "./kernel-monitor.js";
export { KernelReconciler, type KernelReconcilerOptions } from "./kernel-reconciler.js";
export { observe } from "./observe.js";
export {
  isConverged,
  isUnchanged,
  type NetworkResult,
  type Outcome,
  type ReconcileResult,
} from "./reconcile-result.js";
export { SYSCTL_ROOT } from "./sysctl.js";
