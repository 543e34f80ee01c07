import type { ChildProcess } from "node:child_process";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { signalEntered } from "../../lab/processes/index.js";

/** Stops a program that was entered into a namespace, or lets it go on. */
export async function signalPaused(program: ChildProcess, signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  await signalEntered(program, ENTRY_WAITING_PARENTS, signal);
  // nsenter stops itself when its child is stopped (util-linux, continue_as_child), and would never tell of its end.
  if (signal === "SIGCONT") program.kill(signal);
}
