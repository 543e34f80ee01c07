import { agentRuntimeDirectory } from "../../../model/kubernetes/agent-files.js";
import { heartbeatPeriod } from "../../../model/kubernetes/heartbeat.js";

export const defaultStatusFile = `${agentRuntimeDirectory}/status.json`;
export const defaultMetallbNamespace = "metallb-system";

/**
 * Seconds for which a status file counts. The agent writes it at the end of each pass of its loop, and a pass comes at
 * least every 30 s; twice that and some reserve for a busy node.
 */
export const statusFreshness = 2 * heartbeatPeriod + 15;
/** Seconds: a gateway behind an interface that was made again is learned in a few. */
export const defaultConfirmTimeout = 30;
