import { allScenarios } from "../../../support/provider-behaviour/all-scenarios.js";
import { playScenarios } from "../../../support/provider-behaviour/play-scenarios.js";
import { processDriver } from "./process-driver.js";

playScenarios(processDriver, allScenarios);
