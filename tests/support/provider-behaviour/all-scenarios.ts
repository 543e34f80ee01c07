import { driftScenarios } from "./drift-scenarios.js";
import type { BehaviourScenario } from "./scenario.js";
import { scenarios } from "./scenarios.js";
import { updateScenarios } from "./update-scenarios.js";

export const allScenarios: readonly BehaviourScenario[] = [...scenarios, ...driftScenarios, ...updateScenarios];
