import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { buildImage, type Layer } from "./image-store.js";
import { nodePrograms } from "./node-programs.js";
import type { Image } from "./oci-archive.js";
import { type PackageLock, packageClosure } from "./package-closure.js";
import { requiredPackages } from "./required-packages.js";

/** The compiled folders that the agent loads; the image keeps their places, so that relative imports hold. */
const COMPILED = ["model", "agent-image"];

const WORKSPACE = "agent-image";

const ENTRY_POINT = "/app/agent-image/agent/main.js";

/** Read by compilers, debuggers and people, not by Node. */
const DISPENSABLE = /\.(?:d\.[cm]?ts|[cm]?ts|map|md|markdown|tsbuildinfo)$/;

/** Top folders of packages that their authors publish by accident or for people. */
const DISPENSABLE_FOLDERS = new Set([".github", "benchmarks", "doc", "docs", "test", "tests"]);

/**
 * The agent's image, made from `dist` as it is now. Its reference changes with its content.
 *
 * @throws when the agent is not compiled, or a package that it loads is not installed
 */
export function agentImage(): Promise<Image> {
  const dist = join(repositoryRoot, "dist");
  if (!existsSync(join(dist, WORKSPACE, "agent", "main.js")))
    throw new Error(`the agent is not compiled: ${join(dist, WORKSPACE)} has no agent/main.js. Run "npm run build"`);
  const packages = runtimePackages(dist);
  const application: Layer = async (root) => {
    for (const folder of COMPILED) await root.addTree(join(dist, folder), `app/${folder}`, isDispensable);
    await root.addFile(join(repositoryRoot, WORKSPACE, "package.json"), `app/${WORKSPACE}/package.json`, 0o644);
    for (const folder of packages) {
      const source = join(repositoryRoot, folder);
      await root.addTree(source, `app/${folder}`, (path) => isDispensableOf(source, path));
    }
    await root.addText("usr/bin/vlan-router", `#!/bin/sh\nexec node ${ENTRY_POINT} "$@"\n`, 0o755);
  };
  const configuration = { Entrypoint: ["vlan-router"], Env: ["PATH=/usr/sbin:/usr/bin"] };
  return buildImage("agent", configuration, [nodePrograms, application]);
}

function isDispensable(path: string): boolean {
  return DISPENSABLE.test(path);
}

/** @param folder of the package */
function isDispensableOf(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  // Nested packages are in the closure by their own path when they are needed.
  return inside === "node_modules" || DISPENSABLE_FOLDERS.has(inside) || isDispensable(path);
}

/** Folders of all packages that the agent loads, relative to the repository. */
function runtimePackages(dist: string): readonly string[] {
  const lock = JSON.parse(readFileSync(join(repositoryRoot, "package-lock.json"), "utf8")) as PackageLock;
  const names = new Set(COMPILED.flatMap((folder) => packagesLoaded(join(dist, folder))));
  return packageClosure(lock, [...names], WORKSPACE, (folder) => existsSync(join(repositoryRoot, folder)));
}

/** Names of the packages that the compiled files below a folder load. */
function packagesLoaded(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => requiredPackages(readFileSync(join(folder, name), "utf8")));
}
