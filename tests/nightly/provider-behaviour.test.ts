/** The provider's whole behaviour suite on the real engine; `npm test` plays it by mocks and by a provider process. */
import { engineDriver } from "../engine/engine-driver.js";
import { allScenarios } from "../support/provider-behaviour/all-scenarios.js";
import { playScenarios } from "../support/provider-behaviour/play-scenarios.js";

playScenarios(engineDriver, allScenarios);
