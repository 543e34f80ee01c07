/** Equal to the version in agent-image/package.json, which is not beside the compiled files everywhere. */
export const version = "0.1.0";
