#!/usr/bin/env node
import "./require-node.js";
import { CommanderError } from "commander";
import { exitCode } from "./exit-code.js";
import { program } from "./program.js";

process.stdout.on("error", (error) => {
  if (isClosedPipe(error)) return;
  process.stderr.write(`vlan-router: the output could not be written: ${error.message}\n`);
  process.exitCode = exitCode.failure;
});
// Nobody is left to be told.
process.stderr.on("error", (error) => {
  if (!isClosedPipe(error)) process.exitCode = exitCode.failure;
});

program()
  .parseAsync()
  .catch((error: Error) => {
    // Commander has printed its message already; help and version are asked for, everything else is wrong usage.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCode.fine : exitCode.mistakes;
      return;
    }
    process.stderr.write(`vlan-router: ${error.message}\n`);
    process.exitCode = exitCode.failure;
  });

/** A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours, and the exit code stays what it is. */
function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === "EPIPE";
}
