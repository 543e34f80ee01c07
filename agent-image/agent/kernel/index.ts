/**
 * The node's kernel: iproute2 and nft carry out what the model says, and their monitors tell of changes. Why no netlink of our own:
 * with one process for many commands they cost what the kernel costs (docs/benchmarks.md, "The node's kernel"), and they outlive
 * an overflow of the monitor's socket, at which the npm package `netlink` aborts the process. What costs is starting
 * processes: a pass that finds nothing to do starts five, however many networks there are.
 */
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
