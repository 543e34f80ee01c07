/** What the command's exit code tells a script. */
export const exitCode = {
  fine: 0,
  /** Something went wrong that the input is not to blame for. */
  failure: 1,
  /** Mistakes in the configuration, in the facts or on the command line. */
  mistakes: 2,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
