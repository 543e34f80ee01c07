import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { requireGo } from "../bootstrap/go-runtime.mjs";
import type { ModuleVersion } from "./tool.js";

/** How much of a failed command's output stands in the error; the log has all of it. */
const QUOTED_LINES = 15;

export interface GoCommand {
  /**
   * Runs go in a folder. Standard error goes to the log and line by line to `onLine`.
   *
   * @returns standard output
   * @throws with the last lines of standard error when go fails
   */
  run(options: {
    readonly arguments: readonly string[];
    readonly directory: string;
    readonly logFile: string;
    readonly onLine: (line: string) => void;
    /** Go's name of the processor that is built for; this machine's when left out. */
    readonly architecture?: string;
  }): Promise<string>;
}

/** @throws when there is no Go that can build the toolchain, with the remedy */
export function goCommand(): GoCommand {
  const { program } = requireGo();
  return {
    async run({ arguments: args, directory, logFile, onLine, architecture }) {
      const child = spawn(program, args, {
        cwd: directory,
        env: {
          ...process.env,
          // No C compiler is asked for, and the programs run in any root file system.
          CGO_ENABLED: "0",
          // The wrapper lists only what it wraps: go fills in the rest from the modules' own go.mod files.
          GOFLAGS: "-mod=mod -buildvcs=false",
          GOWORK: "off",
          ...(architecture === undefined ? {} : { GOARCH: architecture }),
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const endWithUs = () => void child.kill();
      process.once("exit", endWithUs);
      const log = createWriteStream(logFile, { flags: "a" });
      const lastLines: string[] = [];
      createInterface(child.stderr).on("line", (line) => {
        log.write(`${line}\n`);
        lastLines.push(line);
        if (lastLines.length > QUOTED_LINES) lastLines.shift();
        onLine(line);
      });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
      });
      process.off("exit", endWithUs);
      log.end();
      if (code !== 0) {
        const quoted = lastLines.map((line) => `  ${line}`).join("\n");
        throw new Error(`go ${args.join(" ")} failed (exit ${code}), full log in ${logFile}:\n${quoted}`);
      }
      return output;
    },
  };
}

/** What `go mod download -json` says of a module that is now in the module cache. */
export interface DownloadedModule {
  /** Folder of the module's files, read-only. */
  readonly Dir: string;
  /** Path of its go.mod. */
  readonly GoMod: string;
}

/** Makes sure that a module is in Go's module cache. */
export async function downloadModule(
  go: GoCommand,
  module: ModuleVersion,
  logFile: string,
  directory: string,
): Promise<DownloadedModule> {
  const output = await go.run({
    arguments: ["mod", "download", "-json", `${module.path}@${module.version}`],
    directory,
    logFile,
    onLine: () => undefined,
  });
  return JSON.parse(output) as DownloadedModule;
}
