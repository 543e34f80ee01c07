import { delimiter } from "node:path";
import { ADMIN } from "../isolation/index.js";
import { type Lab, openLab } from "../lab.js";
import { labDown, labUp } from "../lifecycle.js";
import { createProgress } from "../progress.js";
import { stageOf } from "../stage.js";
import { labStatus, statusText } from "../status/index.js";
import { locateToolchain } from "../toolchain/index.js";
import { type LabCommand, parseCommandLine, UsageError } from "./command-line.js";
import { usage } from "./usage.js";

const FAILURE = 1;
const USAGE = 2;

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const isUsage = error instanceof UsageError;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message}${isUsage ? "; --help shows all" : ""}\n`);
    process.exitCode = isUsage ? USAGE : FAILURE;
  },
);

async function main(args: readonly string[]): Promise<number> {
  const command = parseCommandLine(args);
  if (command.kind === "help") {
    process.stdout.write(usage);
    return 0;
  }
  return perform(command);
}

async function perform(command: Exclude<LabCommand, { kind: "help" }>): Promise<number> {
  const lab = openLab(command.lab);
  switch (command.kind) {
    case "status": {
      const status = await labStatus(lab);
      process.stdout.write(command.json ? `${JSON.stringify(status, null, 2)}\n` : statusText(status));
      return status.up ? 0 : FAILURE;
    }
    case "shell": {
      // A prompt that tells where one is; the person's own start-up files would replace it.
      const env = { PS1: `${command.place}:\\w\\$ ` };
      return inForeground(lab, command.place, ["bash", "--norc", "-i"], env);
    }
    case "exec":
      return inForeground(lab, command.place, command.argv);
    case "up":
      await labUp(lab.name, createProgress(), { kubernetes: !command.fabricOnly });
      return 0;
    case "down":
      await labDown(lab.name, createProgress());
      return 0;
  }
}

function inForeground(
  lab: Lab,
  place: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  // The terminal tells the program in the lab; this process stays for its exit code.
  process.on("SIGINT", () => undefined);
  process.on("SIGQUIT", () => undefined);
  return lab.spawn(place, argv, { stdio: "inherit", env: { ...toolPath(lab, place), ...env } }).exit;
}

/** Where the API server can be reached, kubectl and pulumi are those of the lab. */
function toolPath(lab: Lab, place: string): Readonly<Record<string, string>> {
  if (place !== ADMIN || stageOf(lab) !== "kubernetes") return {};
  return { PATH: [locateToolchain().binDirectory, process.env.PATH].join(delimiter) };
}
