export { type DaemonSpec, findDaemon, type StopOptions, startDaemon, stopDaemon } from "./daemon.js";
export { childEnd, signalEntered } from "./entered-child.js";
export { exitCode } from "./exit-code.js";
export { killFamily } from "./kill-family.js";
export { logTail } from "./log-tail.js";
export {
  childrenOf,
  formatIdentity,
  identify,
  isAlive,
  type ProcessIdentity,
  parseIdentity,
  signal,
} from "./process-identity.js";
export { CommandError, type Result, type RunOptions, run } from "./run.js";
export { type WaitOptions, waitFor } from "./wait-for.js";
