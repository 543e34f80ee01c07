#!/usr/bin/env node
import { program } from "./cli/program.js";

program()
  .parseAsync()
  .catch((error: Error) => {
    process.stderr.write(`vlan-router: ${error.message}\n`);
    process.exit(1);
  });
