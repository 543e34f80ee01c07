#!/usr/bin/env node
import { CommanderError } from "commander";
import { exitCode } from "./exit-code.js";
import { program } from "./program.js";

// A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours, and the exit code stays what it is.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

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
