/** A pass of the agent's loop failed as a whole. Stands alone because the readiness probe, which must be cheap, loads it. */
export const passFailed = { type: "PassFailed", status: "True", reason: "PassFailed" } as const;
