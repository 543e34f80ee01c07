import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { enterProcess } from "../isolation/index.js";
import { type Lab, WITHOUT_PROXY } from "../lab.js";
import { findDaemon, startDaemon } from "../processes/index.js";
import type { Toolchain } from "../toolchain/index.js";
import type { NodeName } from "../topology.js";
import { atNodeCgroup, createNodeCgroup, hierarchyArguments, inNodeCgroup, machineCgroups } from "./node-cgroup.js";
import { nodeFiles, nodeOwnFolders } from "./node-files.js";

/** Not compiled, so it stands beside this file's source. */
const INIT = join(repositoryRoot, "lab", "cluster", "node-init.sh");

/** Becomes the node's /var/lib. */
const VAR_LIB = "var-lib";

/** The first files of the node's /run. */
const BOOT = "boot";

/** Daemons of a node, in the order in which they start. */
export const nodeDaemons = ["containerd", "kubelet", "kube-proxy"] as const;
export type NodeDaemon = (typeof nodeDaemons)[number];

/** The name under which a node's daemon has its log and pid file. */
export const nodeDaemonName = (node: NodeName, daemon: NodeDaemon): string => `${node}-${daemon}`;

/** Prepares the disk of a node: `files` by their path in the node. */
export async function writeBootFiles(lab: Lab, node: NodeName, files: Readonly<Record<string, string>>): Promise<void> {
  const storage = nodeStorage(lab, node);
  for (const folder of [VAR_LIB, "var-log"]) await mkdir(join(storage, folder), { recursive: true });
  const boot = join(storage, BOOT);
  for (const [path, content] of Object.entries(files)) {
    const file = join(boot, relative("/run", path));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o600 });
  }
}

/**
 * Switches a node on, without its daemons: one process inside the node's network namespace holds all its other namespaces.
 * It finds the files of {@link writeBootFiles}.
 */
export async function powerOn(lab: Lab, node: NodeName, toolchain: Toolchain): Promise<void> {
  const storage = nodeStorage(lab, node);
  requireVisible([toolchain.binDirectory, INIT, storage]);
  await createNodeCgroup(lab, node);
  await lab.startDaemon("admin", {
    name: node,
    // PID 1 goes into the node's cgroups before it makes the cgroup namespace, so that they become the root of it.
    argv: [
      ...["nsenter", `--net=/run/netns/${node}`, "--"],
      ...["unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--"],
      ...atNodeCgroup(lab, node, [
        ...["unshare", "--cgroup", "--", "sh", INIT, node, storage, toolchain.path("pause")],
        ...hierarchyArguments(machineCgroups()),
      ]),
    ],
    waitingParents: 1,
    ready: ({ pid }) => existsSync(`/proc/${pid}/root${nodeFiles.up}`),
  });
}

/** Cuts a node's power: nothing of it gets a chance to say goodbye. */
export async function powerOff(lab: Lab, node: NodeName): Promise<void> {
  await lab.stopDaemon(node, { signal: "SIGKILL" });
}

/** Starts a daemon inside a node where it does not run yet. */
export async function startNodeDaemon(
  lab: Lab,
  node: NodeName,
  daemon: NodeDaemon,
  argv: readonly string[],
  ready?: () => Promise<boolean>,
): Promise<void> {
  const name = nodeDaemonName(node, daemon);
  const pidFile = lab.pidFile(name);
  if (findDaemon(pidFile) !== undefined) return;
  await startDaemon({
    name,
    argv: inNodeCgroup(lab, node, enterProcess(nodeInit(lab, node), argv)),
    log: lab.logFile(name),
    pidFile,
    env: WITHOUT_PROXY,
    cwd: "/",
    waitingParents: 1,
    ...(ready === undefined ? {} : { ready }),
  });
}

export function isPoweredOn(lab: Lab, node: NodeName): boolean {
  return findDaemon(lab.pidFile(node)) !== undefined;
}

/** Whether the node was made before; it then keeps its files when it is switched on again. */
export function hasBootFiles(lab: Lab, node: NodeName): boolean {
  return existsSync(join(nodeStorage(lab, node), BOOT));
}

/** The root folder of a node's containerd, as the machine sees it. */
export function containerdRoot(lab: Lab, node: NodeName): string {
  return join(nodeStorage(lab, node), VAR_LIB, "containerd");
}

/** What a node keeps while it is off. */
function nodeStorage(lab: Lab, node: NodeName): string {
  return join(lab.stateDirectory, "nodes", node);
}

function nodeInit(lab: Lab, node: NodeName): number {
  const init = findDaemon(lab.pidFile(node));
  if (init === undefined) throw new Error(`node ${node} of lab "${lab.name}" is off: switch it on first`);
  return init.pid;
}

/** A node covers some of the machine's folders with its own; programs that it needs may not lie there. */
function requireVisible(paths: readonly string[]): void {
  for (const path of paths) {
    const covered = nodeOwnFolders.find((folder) => path.startsWith(folder + sep));
    if (covered !== undefined)
      throw new Error(
        `${path} cannot be seen by the lab's nodes, which have a ${covered} of their own: ` +
          "put repository and cache (VLAN_ROUTER_CACHE) elsewhere",
      );
  }
}
