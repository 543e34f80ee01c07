import { type NetworkSpec } from "../../model/index.js";
import type { NetworkSummary } from "./state.js";
/** The summary of a checked network; what follows from an unknown value is unknown. */
export declare function networkSummary(spec: NetworkSpec): NetworkSummary;
