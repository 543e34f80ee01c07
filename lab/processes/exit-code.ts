import { constants } from "node:os";

/** The exit code as shells count: 128 + signal number when a signal ended the process. */
export function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
