import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plugNode, unplugNode } from "../fabric/index.js";
import type { Lab } from "../lab.js";
import { waitFor } from "../processes/index.js";
import type { Progress } from "../progress.js";
import { locateToolchain, type Toolchain } from "../toolchain/index.js";
import { type NodeName, nodeNames } from "../topology.js";
import { bootFiles } from "./boot-files.js";
import { type ClusterKeys, makeCertificates } from "./certificates.js";
import { keyFolder, startApiServer, startControllers } from "./control-plane.js";
import { apiServer } from "./endpoints.js";
import { imageSeed, plantSeed } from "./image-seed.js";
import { type KubeProxyMode, kubeProxyArguments } from "./kube-proxy.js";
import { kubeconfig } from "./kubeconfig.js";
import { kubectlGet } from "./kubectl.js";
import { kubeletArguments } from "./kubelet.js";
import { allOf, type LabImages, labImages } from "./lab-images.js";
import { loadImage } from "./load-image.js";
import {
  containerdRoot,
  hasBootFiles,
  isPoweredOn,
  nodeDaemonName,
  powerOff,
  powerOn,
  startNodeDaemon,
  writeBootFiles,
} from "./node.js";
import { removeLabCgroups, removeNodeCgroup } from "./node-cgroup.js";
import { nodeFiles } from "./node-files.js";

const NODE_READY_MS = 120_000;

export interface ClusterOptions {
  /** Of nodes that are made new; `nftables` when left out. */
  readonly kubeProxyMode?: KubeProxyMode;
}

/** Starts control plane and nodes on a fabric that is up, and waits until all nodes are Ready. What runs already stays. */
export async function clusterUp(lab: Lab, progress: Progress, options: ClusterOptions = {}): Promise<void> {
  const toolchain = locateToolchain();
  const since = Date.now();
  const [keys, images] = await progress.step("cluster: certificates and images", () =>
    Promise.all([makeKeys(lab), labImages()]),
  );
  const off = nodeNames.filter((node) => !isPoweredOn(lab, node));
  const kubeProxyMode = options.kubeProxyMode ?? "nftables";
  for (const node of off.filter((name) => !hasBootFiles(lab, name))) {
    await writeBootFiles(lab, node, bootFiles({ node, keys, pauseImage: images.pause.reference, kubeProxyMode }));
  }
  await progress.step("cluster: control plane, containerd on three nodes", () =>
    Promise.all([startApiServer(lab, toolchain), startRuntimes(lab, toolchain, images)]),
  );
  await progress.step("cluster: kubelets, kube-proxy, controllers", async () => {
    await Promise.all([
      startControllers(lab, toolchain),
      ...nodeNames.map((node) => startNodeAgents(lab, node, toolchain)),
    ]);
    await Promise.all(nodeNames.map((node) => waitUntilReady(lab, node, off.includes(node) ? since : 0)));
  });
}

/** Cuts a node's power: its processes end without a word, and its link is dead. The node's disk stays. */
export async function stopNode(lab: Lab, node: NodeName): Promise<void> {
  if (!isPoweredOn(lab, node)) return;
  await powerOff(lab, node);
  await unplugNode(lab, node);
  await removeNodeCgroup(lab, node);
}

/** Switches a node on again after {@link stopNode}, with nothing in its kernel but the underlay, and waits until it is Ready. */
export async function startNode(lab: Lab, node: NodeName): Promise<void> {
  if (isPoweredOn(lab, node)) return;
  const toolchain = locateToolchain();
  const since = Date.now();
  await startRuntime(lab, node, toolchain);
  await startNodeAgents(lab, node, toolchain);
  await waitUntilReady(lab, node, since);
}

/** Ends the nodes and removes what outlives their processes on the machine. */
export async function clusterDown(lab: Lab): Promise<void> {
  await Promise.all(nodeNames.map((node) => powerOff(lab, node)));
  await removeLabCgroups(lab);
}

/** Certificates for everyone, and the kubeconfig files of those who live outside the nodes. */
async function makeKeys(lab: Lab): Promise<ClusterKeys> {
  const folder = keyFolder(lab);
  const keys = await makeCertificates(folder);
  for (const name of ["kube-controller-manager", "kube-scheduler"]) {
    const text = kubeconfig(name, apiServer.fromControlPlane, keys);
    await writeFile(join(folder, `${name}.kubeconfig`), text, { mode: 0o600 });
  }
  await writeFile(lab.kubeconfig, kubeconfig("admin", apiServer.fromAdmin, keys), { mode: 0o600 });
  return keys;
}

async function startRuntimes(lab: Lab, toolchain: Toolchain, images: LabImages): Promise<void> {
  const seed = await imageSeed(lab, allOf(images));
  await Promise.all(
    nodeNames.map(async (node) => {
      await plantSeed(seed, containerdRoot(lab, node));
      await startRuntime(lab, node, toolchain);
      await loadImage(lab, images.pause, [node]);
    }),
  );
}

async function startRuntime(lab: Lab, node: NodeName, toolchain: Toolchain): Promise<void> {
  if (!isPoweredOn(lab, node)) {
    await plugNode(lab, node);
    await powerOn(lab, node, toolchain);
  }
  const argv = ["containerd", "--config", nodeFiles.containerdConfiguration];
  await startNodeDaemon(lab, node, "containerd", argv, async () => {
    return (await lab.exec(node, ["ctr", "version"], { check: false })).code === 0;
  });
}

async function startNodeAgents(lab: Lab, node: NodeName, toolchain: Toolchain): Promise<void> {
  await startNodeDaemon(lab, node, "kubelet", [toolchain.path("kubelet"), ...kubeletArguments(node)]);
  await startNodeDaemon(lab, node, "kube-proxy", [toolchain.path("kube-proxy"), ...kubeProxyArguments()]);
}

/** @param since milliseconds since the epoch; what the kubelet has said before does not count */
async function waitUntilReady(lab: Lab, node: NodeName, since: number): Promise<void> {
  const log = lab.logFile(nodeDaemonName(node, "kubelet"));
  await waitFor(`${node} to be Ready`, () => isReady(lab, node, since), { timeout: NODE_READY_MS, interval: 300, log });
}

interface NodeList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status: {
      readonly conditions?: readonly {
        readonly type: string;
        readonly status: string;
        readonly lastHeartbeatTime: string;
      }[];
    };
  }[];
}

async function isReady(lab: Lab, node: NodeName, since: number): Promise<boolean> {
  const { items } = await kubectlGet<NodeList>(lab, ["nodes", `--field-selector=metadata.name=${node}`]);
  const ready = items[0]?.status.conditions?.find(({ type }) => type === "Ready");
  // Times in the API have whole seconds.
  return ready?.status === "True" && Date.parse(ready.lastHeartbeatTime) >= Math.floor(since / 1000) * 1000;
}
