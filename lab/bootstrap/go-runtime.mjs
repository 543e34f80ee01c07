import { execFileSync } from "node:child_process";
import { parseVersion, versionFits } from "./version.mjs";

/** The highest `go` line among the modules of the toolchain (github.com/pulumi/pulumi/pkg/v3 v3.274.1). */
export const MINIMUM_GO = "1.26.6";

/** Since this version Go fetches a newer toolchain by itself, unless GOTOOLCHAIN forbids it (go.dev/doc/toolchain). */
const SELF_UPDATING_GO = "1.21.0";

/** Where Go's own installer puts it; `sudo` drops this folder from PATH. */
const USUAL_PLACE = "/usr/local/go/bin/go";

const REMEDY = `Install Go ${MINIMUM_GO} or newer from https://go.dev/dl/ and put its bin folder on PATH.`;

/**
 * @typedef {object} GoInstallation
 * @property {string} program What to run.
 * @property {string} version As `go version` prints it.
 * @property {string} toolchain The value of `go env GOTOOLCHAIN`.
 */

/**
 * @param {Pick<GoInstallation, "version" | "toolchain">} go
 * @returns {string | undefined} why this Go cannot build the toolchain and what to do; undefined when it can.
 */
export function goComplaint(go) {
  if (versionFits(go.version, MINIMUM_GO)) return undefined;
  if (parseVersion(go.version) === undefined) return `"${go.version}" does not name a Go version. ${REMEDY}`;
  if (versionFits(go.version, SELF_UPDATING_GO) && /(^|\+)auto$/.test(go.toolchain)) return undefined;
  return `${go.version} is too old: the lab's programs need Go ${MINIMUM_GO} (GOTOOLCHAIN is "${go.toolchain}"). ${REMEDY}`;
}

/**
 * Looks for Go on PATH, then in its usual place.
 *
 * @returns {GoInstallation | undefined}
 */
export function findGo() {
  for (const program of ["go", USUAL_PLACE]) {
    try {
      // From the root folder, so that no go.mod or go.work of the caller chooses another toolchain.
      const run = (/** @type {string[]} */ ...args) =>
        execFileSync(program, args, { cwd: "/", encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
      return { program, version: run("version"), toolchain: run("env", "GOTOOLCHAIN") };
    } catch {
      // Not here: try the next place.
    }
  }
  return undefined;
}

/**
 * The Go that builds the toolchain.
 *
 * @returns {GoInstallation}
 * @throws when there is none, or none that is new enough, with the remedy.
 */
export function requireGo() {
  const go = findGo();
  if (go === undefined)
    throw new Error(`Go is missing: it builds the programs of the lab from their modules. ${REMEDY}`);
  const complaint = goComplaint(go);
  if (complaint !== undefined) throw new Error(complaint);
  return go;
}
