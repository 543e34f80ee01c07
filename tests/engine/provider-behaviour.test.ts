/** The provider's behaviour suite on the real engine; unit tests play the same scenarios by mocks and by a provider process. */
import { playScenarios } from "../support/provider-behaviour/play-scenarios.js";
import { scenarios } from "../support/provider-behaviour/scenarios.js";
import { engineDriver } from "./engine-driver.js";

playScenarios(engineDriver, scenarios);
