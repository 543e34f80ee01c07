/**
 * The node's kernel: iproute2 and nft carry out what the model says, and their monitors tell of changes. Why no netlink of our own:
 * with one process for many commands they cost little more than the kernel, and they outlive an overflow of the monitor's socket,
 * at which the npm package `netlink` aborts the process. What costs is starting processes, so networks share them: a pass that
 * finds nothing to do starts five for 500 networks as for one. The one exception is the forwarding entries of routes, which
 * change while traffic runs: see {@link NetlinkFdbWriter}.
 */
export { type Applied, apply } from "./apply.js";
export { arpIgnore } from "./arp-ignore.js";
export { CommandFailure, type CommandRunner, lockedCommands, systemCommands } from "./command-runner.js";
export { forgetUdpFlows } from "./connections.js";
export { type FdbWriter, NetlinkFdbWriter } from "./fdb-writer.js";
export type { KernelMonitor } from "./kernel-monitor.js";
export { KernelReconciler, type KernelReconcilerOptions } from "./kernel-reconciler.js";
export { keepNeighbours, leaveNeighbours, type NeighbourEntry } from "./neighbours.js";
export { observe } from "./observe.js";
export { listNeighbours, observeBridge } from "./observe-bridge.js";
export {
  isConverged,
  isUnchanged,
  type NetworkResult,
  type Outcome,
  type ReconcileResult,
} from "./reconcile-result.js";
export { SYSCTL_ROOT } from "./sysctl.js";
