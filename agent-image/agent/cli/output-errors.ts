import { exitCode } from "./exit-code.js";

/**
 * What becomes of output that nobody takes. A reader that has seen enough (`| head`) closes the pipe: that is no failure, so
 * the command does what it was called for and ends with the code of that; only what it would read to print more is left. Any
 * other error, such as a full disk, is told and makes the command fail. Without this, Node ends with a stack trace, and with it
 * a cleanup that is half done.
 */
export function handleOutputErrors(): void {
  process.stdout.on("error", (error) => {
    if (isClosedPipe(error)) {
      process.stdin.destroy();
      return;
    }
    process.stderr.write(`vlan-router: the output could not be written: ${error.message}\n`);
    failAtExit();
  });
  // Nobody is left to be told.
  process.stderr.on("error", (error) => {
    if (!isClosedPipe(error)) failAtExit();
  });
}

/** At the end, because a command that goes on sets its own code later. */
function failAtExit(): void {
  process.on("exit", () => {
    process.exitCode = exitCode.failure;
  });
}

function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === "EPIPE";
}
