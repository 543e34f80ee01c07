import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { versionFits } from "../bootstrap/version.mjs";
import type { Installed, VersionRange } from "./tool.js";

/** A version query that takes longer than this is no version query. */
const VERSION_QUERY_MS = 20_000;

/**
 * @param printed all that the program prints about its version
 * @returns whether a version in it lies in the range
 */
export function printedVersionFits(printed: string, { minimum, below }: VersionRange): boolean {
  return versionFits(printed, minimum, below);
}

/** What a program prints when asked for its version; undefined when it does not run. */
export function askVersion(program: string, versionArguments: readonly string[]): string | undefined {
  try {
    return execFileSync(program, versionArguments, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: VERSION_QUERY_MS,
      // `pulumi version` would otherwise ask its home page for a newer one.
      env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
  } catch {
    return undefined;
  }
}

/**
 * Looks for a fitting program that is already on the machine.
 *
 * @param installedPath where another program of the toolchain was found, undefined when it is built
 * @returns absolute path
 */
export function findInstalled(
  name: string,
  installed: Installed,
  installedPath: (program: string) => string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  switch (installed.kind) {
    case "never":
      return undefined;
    case "path":
      return pathCandidates(name, environment).find((program) => {
        const printed = askVersion(program, installed.versionArguments);
        return printed !== undefined && printedVersionFits(printed, installed.versions);
      });
    case "beside": {
      const other = installedPath(installed.program);
      return other === undefined ? undefined : [join(dirname(other), name)].find(isExecutable);
    }
    case "pulumi-plugin": {
      const home = environment.PULUMI_HOME || join(homedir(), ".pulumi");
      return [join(home, "plugins", installed.folder, name)].find(isExecutable);
    }
  }
}

function pathCandidates(name: string, environment: NodeJS.ProcessEnv): readonly string[] {
  return (environment.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
