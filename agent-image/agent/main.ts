#!/usr/bin/env node
import { CommanderError } from "commander";
import { exitCode } from "./cli/exit-code.js";
import { handleOutputErrors } from "./cli/output-errors.js";
import { program } from "./cli/program.js";

handleOutputErrors();

program()
  .parseAsync()
  .catch((error: Error) => {
    // Commander has printed its message already; help and version are asked for, everything else is wrong usage.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? exitCode.fine : exitCode.refused);
    process.stderr.write(`vlan-router: ${error.message}\n`);
    process.exit(exitCode.failure);
  });
