import { execFileSync } from "node:child_process";
import { requireGo } from "./go-runtime.mjs";

/**
 * @typedef {object} Machine What the set-up asks of a machine before it begins.
 * @property {string} platform as `process.platform`
 * @property {number} uid effective user
 * @property {boolean} npm whether npm runs
 * @property {string | undefined} goComplaint why Go cannot build the toolchain; undefined when it can or is not asked for
 */

/**
 * Everything that is missing, at once, each with its remedy.
 *
 * @param {Machine} machine
 * @returns {readonly string[]}
 */
export function missingRequirements({ platform, uid, npm, goComplaint }) {
  return [
    ...(platform === "linux"
      ? []
      : [`Linux is missing: the lab is made of its network namespaces, and this is ${platform}.`]),
    ...(uid === 0
      ? []
      : [
          "Root is missing: the lab makes network namespaces and interfaces, mounts file systems and installs Debian packages. " +
            'Run the command as root, for example "sudo npm start"; "npm run test:unit" needs no root.',
        ]),
    ...(npm
      ? []
      : ["npm is missing: it installs the dependencies. Install it together with Node from https://nodejs.org/."]),
    ...(goComplaint === undefined ? [] : [goComplaint]),
  ];
}

/**
 * @param {{ go: boolean }} needs whether the toolchain is asked for
 * @throws when something is missing
 */
export function checkRequirements({ go }) {
  const missing = missingRequirements({
    platform: process.platform,
    uid: process.geteuid?.() ?? -1,
    npm: npmRuns(),
    goComplaint: go ? complaintOf(requireGo) : undefined,
  });
  if (missing.length > 0) throw new Error(missing.join("\n"));
}

function npmRuns() {
  try {
    execFileSync("npm", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** @param {() => unknown} check */
function complaintOf(check) {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
