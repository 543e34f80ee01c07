import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import type { Progress } from "../progress.js";
import { type Architecture, namesOf } from "./architecture.js";
import type { Component } from "./component.js";
import { isDispensable, isDispensableOf } from "./dispensable-files.js";
import { npmPackageFolder } from "./npm-package.js";
import { type LockedPackage, type PackageLock, packageClosure } from "./package-closure.js";
import { requiredPackages } from "./required-packages.js";
import type { RootFilesystem } from "./root-filesystem.js";

export const agentEntryPoint = "vlan-router";

/** The compiled folders that the agent loads; the image keeps their places, so that relative imports hold. */
const COMPILED = ["model", "agent-image"];

const WORKSPACE = "agent-image";

/** Loaded as they are, from beside the compiled files. */
const INTERFACES = join(WORKSPACE, "agent", "gobgp", "proto");

/**
 * Without the debugger that SIGUSR1 opens on the node's loopback, where every other process of the host network could reach it
 * (nodejs.org/api/cli.html, `--disable-sigusr1`). The kernel hands on one argument of such a first line (execve(2)).
 */
const LAUNCHER = '#!/usr/bin/node --disable-sigusr1\nrequire("/app/agent-image/agent/main.js");\n';

/**
 * Layer with the compiled agent and the npm packages that it loads.
 *
 * @returns the packages
 * @throws when the agent is not compiled, or a package that it loads cannot be had
 */
export async function addAgent(
  root: RootFilesystem,
  architecture: Architecture,
  progress: Progress,
): Promise<readonly Component[]> {
  const dist = join(repositoryRoot, "dist");
  if (!existsSync(join(dist, WORKSPACE, "agent", "main.js")))
    throw new Error(`the agent is not compiled: ${join(dist, WORKSPACE)} has no agent/main.js. Run "npm run build"`);
  for (const folder of COMPILED) await root.addTree(join(dist, folder), `app/${folder}`, isDispensable);
  await root.addTree(join(repositoryRoot, INTERFACES), `app/${INTERFACES}`, () => false);
  await root.addFile(join(repositoryRoot, WORKSPACE, "package.json"), `app/${WORKSPACE}/package.json`, 0o644);
  const lock = readLock();
  const components: Component[] = [];
  for (const folder of runtimePackages(lock, dist, architecture)) {
    const locked = lock.packages[folder] ?? {};
    const component = npmComponent(folder, locked);
    const source = await packageFolder(folder, component, locked, progress);
    await root.addTree(source, `app/${folder}`, (path) => isDispensableOf(relative(source, path), architecture));
    components.push(component);
  }
  await root.addText(`usr/bin/${agentEntryPoint}`, LAUNCHER, 0o755);
  return components;
}

function readLock(): PackageLock {
  return JSON.parse(readFileSync(join(repositoryRoot, "package-lock.json"), "utf8")) as PackageLock;
}

/** Folders of all packages that the agent loads, relative to the repository. */
function runtimePackages(lock: PackageLock, dist: string, architecture: Architecture): readonly string[] {
  const names = new Set(COMPILED.flatMap((folder) => packagesLoaded(join(dist, folder))));
  const has = (folder: string) => isFor(architecture, lock.packages[folder]);
  return packageClosure(lock, [...names], WORKSPACE, has);
}

function isFor(architecture: Architecture, locked: LockedPackage | undefined): boolean {
  if (locked === undefined) return false;
  const { os = ["linux"], cpu = [namesOf[architecture].node] } = locked;
  return os.includes("linux") && cpu.includes(namesOf[architecture].node);
}

/** npm installs only the packages of this machine's processor; those of another one are fetched. */
async function packageFolder(
  folder: string,
  { name, version }: Component,
  { integrity, cpu }: LockedPackage,
  progress: Progress,
): Promise<string> {
  const installed = join(repositoryRoot, folder);
  if (existsSync(installed)) return installed;
  if (cpu === undefined || integrity === undefined)
    throw new Error(`the agent needs the package ${name}, which is not installed: run npm ci`);
  return npmPackageFolder({ name, version, integrity }, progress);
}

function npmComponent(folder: string, { version = "", license, integrity = "" }: LockedPackage): Component {
  const hex = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return {
    kind: "npm",
    name: folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length),
    version,
    ...(license === undefined ? {} : { licence: license }),
    ...(integrity.startsWith("sha512-") ? { checksum: { algorithm: "SHA512", hex } } : {}),
  };
}

/** Names of the packages that the compiled files below a folder load. */
function packagesLoaded(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => requiredPackages(readFileSync(join(folder, name), "utf8")));
}
