export type * from "./configuration/configuration.js";
export * from "./kubernetes/objects.js";
export type * from "./node-plan/node-facts.js";
export type * from "./node-plan/node-plan.js";
