/** What the command's exit code tells a script. */
export const exitCode = {
  fine: 0,
  /** Something went wrong, or is not as asked for. */
  failure: 1,
  /** Nothing was changed: wrong usage, or what the command needs is not given. */
  refused: 2,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
