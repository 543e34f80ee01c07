/** Of the provider's behaviour suite what the engine itself takes part in most. Unit tests and the nightly suite play all of it. */
import { allScenarios } from "../support/provider-behaviour/all-scenarios.js";
import { playScenarios } from "../support/provider-behaviour/play-scenarios.js";
import { engineDriver } from "./engine-driver.js";

playScenarios(
  engineDriver,
  allScenarios.filter(({ everyRun }) => everyRun),
);
