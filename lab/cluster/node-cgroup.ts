import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Lab } from "../lab.js";
import { waitFor } from "../processes/index.js";
import type { NodeName } from "../topology.js";
import { type CgroupMounts, parseCgroupMounts } from "./cgroup-mounts.js";

/** Names of v1's cpuset that a new cgroup has empty, and without which no process may enter it (cpuset(7)). */
const CPUSET_FILES = ["cpuset.cpus", "cpuset.mems"];

/** Writes its own pid into each file up to `--`, then becomes the program behind it. */
const JOIN = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit; shift; done; shift; exec "$@"';

/** Child of the node's cgroup for the node's own daemons, with cgroup v2 alone (node-init.sh says why). */
const SYSTEM_CGROUP = "system";

export function machineCgroups(): CgroupMounts {
  return parseCgroupMounts(readFileSync("/proc/mounts", "utf8"));
}

/** Options for the node's init, which mounts the hierarchies inside the node. */
export function hierarchyArguments(mounts: CgroupMounts): readonly string[] {
  return mounts.kind === "v2" ? ["cgroup2"] : mounts.hierarchies.map(({ options }) => options);
}

/** Makes the node's cgroups, empty of what an earlier run of the node has left. */
export async function createNodeCgroup(lab: Lab, node: NodeName): Promise<void> {
  const mounts = machineCgroups();
  await removeNodeCgroup(lab, node);
  for (const root of roots(mounts)) {
    for (const folder of [labFolder(lab), join(labFolder(lab), node)]) {
      if (mounts.kind === "v2") await handOutControllers(join(root, folder, ".."));
      await mkdir(join(root, folder), { recursive: true });
      if (root.split("/").at(-1)?.split(",").includes("cpuset")) await fillCpuset(join(root, folder));
    }
  }
}

/** The command line that puts PID 1 of a node into the node's cgroups, which become the root of its cgroup namespace. */
export function atNodeCgroup(lab: Lab, node: NodeName, argv: readonly string[]): readonly string[] {
  return enter(machineCgroups(), join(labFolder(lab), node), argv);
}

/** The command line that runs a daemon of a node that is up where the node's init has put itself. */
export function inNodeCgroup(lab: Lab, node: NodeName, argv: readonly string[]): readonly string[] {
  const mounts = machineCgroups();
  return enter(mounts, join(labFolder(lab), node, mounts.kind === "v2" ? SYSTEM_CGROUP : ""), argv);
}

/** Removes the cgroups of a node whose processes have ended. Leftovers cost the kubelet 3 s each at its next start. */
export async function removeNodeCgroup(lab: Lab, node: NodeName): Promise<void> {
  await removeTree(lab, node);
}

/** Removes every cgroup of the lab; its nodes must have ended. */
export async function removeLabCgroups(lab: Lab): Promise<void> {
  await removeTree(lab, "");
}

/**
 * Labs that are up at the same time differ in their state directories; the name is for people. A path alone does not tell
 * them apart: systems with roots of their own may share the hierarchy.
 */
function labFolder(lab: Lab): string {
  const labs = dirname(lab.stateDirectory);
  // On a new machine no lab was up yet.
  mkdirSync(labs, { recursive: true });
  const { dev, ino } = statSync(labs);
  const identity = createHash("sha256").update(`${dev} ${ino} ${lab.name}`).digest("hex").slice(0, 8);
  return `vlan-router-lab.${lab.name}.${identity}`;
}

function roots(mounts: CgroupMounts): readonly string[] {
  return mounts.kind === "v2" ? [mounts.path] : mounts.hierarchies.map(({ path }) => path);
}

function enter(mounts: CgroupMounts, cgroup: string, argv: readonly string[]): readonly string[] {
  const files = roots(mounts).map((root) => join(root, cgroup, "cgroup.procs"));
  return ["sh", "-c", JOIN, "join-cgroups", ...files, "--", ...argv];
}

async function handOutControllers(folder: string): Promise<void> {
  const controllers = (await readFile(join(folder, "cgroup.controllers"), "utf8")).trim().split(" ");
  for (const controller of controllers) {
    try {
      await writeFile(join(folder, "cgroup.subtree_control"), `+${controller}`);
    } catch (cause) {
      // EBUSY where processes live in the cgroup itself, as in a container with a cgroup namespace of its own.
      throw new Error(
        `the cgroup ${folder} cannot hand its controller "${controller}" to the lab's nodes: ` +
          "run the lab in the machine's own cgroup namespace",
        { cause },
      );
    }
  }
}

async function fillCpuset(folder: string): Promise<void> {
  for (const file of CPUSET_FILES)
    await writeFile(join(folder, file), await readFile(join(folder, "..", file), "utf8"));
}

async function removeTree(lab: Lab, node: string): Promise<void> {
  for (const root of roots(machineCgroups())) {
    const folder = join(root, labFolder(lab), node);
    // A cgroup counts as busy for a moment after its last process has ended.
    await waitFor(`the cgroup ${folder} to be empty`, () => removeFolders(folder), { timeout: 10_000 });
  }
}

/** Removes a folder of cgroups from its leaves up; false when one is busy. Files in it belong to the kernel. */
function removeFolders(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !removeFolders(join(folder, entry.name))) return false;
    }
    rmdirSync(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code === "EBUSY") return false;
    throw error;
  }
}
