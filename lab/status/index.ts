export type { KubernetesStatus, NodeStatus, PodStatus } from "./kubernetes-status.js";
export { type LabStatus, labStatus, type ProcessStatus, type ReflectorStatus, type Unknown } from "./lab-status.js";
export type { PlaceStatus } from "./place-status.js";
export { statusText } from "./status-text.js";
