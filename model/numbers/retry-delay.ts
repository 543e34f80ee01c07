/** Seconds after which the agent tries again what a pass left undone. */
export const retryDelay = 5;
