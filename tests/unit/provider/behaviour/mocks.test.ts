import { allScenarios } from "../../../support/provider-behaviour/all-scenarios.js";
import { playScenarios } from "../../../support/provider-behaviour/play-scenarios.js";
import { mocksDriver } from "./mocks-driver.js";

// The programs name their cluster themselves.
delete process.env.KUBECONFIG;

playScenarios(mocksDriver, allScenarios);
