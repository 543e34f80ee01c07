import { rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";

/** Signals that end a process by default, without its `exit` event. */
const ENDING = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Makes a file that must not outlive this process, however it ends; only SIGKILL leaves it behind.
 *
 * @param {string} path
 * @param {string} text
 * @param {number} mode
 * @returns {() => void} removes it
 */
export function holdFile(path, text, mode) {
  const remove = () => rmSync(path, { force: true });
  /** @param {NodeJS.Signals} signal */
  const end = (signal) => process.exit(128 + constants.signals[signal]);
  writeFileSync(path, text, { mode });
  process.once("exit", remove);
  for (const signal of ENDING) process.once(signal, end);
  return () => {
    process.off("exit", remove);
    for (const signal of ENDING) process.off(signal, end);
    remove();
  };
}
