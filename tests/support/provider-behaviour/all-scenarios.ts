import { driftScenarios } from "./drift-scenarios.js";
import type { BehaviourScenario } from "./scenario.js";
import { scenarios } from "./scenarios.js";
import { updateScenarios } from "./update-scenarios.js";

/** Each kind of drift and each kind of update: on the real engine they take too long for every run. */
export const tableScenarios: readonly BehaviourScenario[] = [...driftScenarios, ...updateScenarios];

export const allScenarios: readonly BehaviourScenario[] = [...scenarios, ...tableScenarios];
