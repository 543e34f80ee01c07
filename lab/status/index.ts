export { isHealthy } from "./health.js";
export type { KubernetesStatus, NodeStatus, PodStatus } from "./kubernetes-status.js";
export { type LabStatus, labStatus, type ReflectorStatus, type Unknown } from "./lab-status.js";
export type { PlaceStatus } from "./place-status.js";
export type { ProcessStatus } from "./process-status.js";
export { statusText } from "./status-text.js";
