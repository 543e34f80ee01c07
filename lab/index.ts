export {
  type BgpNeighbor,
  bgpNeighbors,
  type EvpnRoute,
  evpnRoutes,
  startReflector,
  stopReflector,
  wrongDoorPackets,
} from "./fabric/index.js";
export { DEFAULT_LAB, Lab, type LabDaemonSpec, type LabProcess, openLab } from "./lab.js";
export { type LabUpOptions, labDown, labUp } from "./lifecycle.js";
export { CommandError, type Result, type RunOptions, waitFor } from "./processes/index.js";
export { createProgress, type Progress } from "./progress.js";
export { type Stage, stageOf } from "./stage.js";
export * from "./topology.js";
