/** Each kind of drift and of update on the real engine; `npm test` plays them by mocks and by a provider process. */
import { engineDriver } from "../engine/engine-driver.js";
import { tableScenarios } from "../support/provider-behaviour/all-scenarios.js";
import { playScenarios } from "../support/provider-behaviour/play-scenarios.js";

playScenarios(engineDriver, tableScenarios);
