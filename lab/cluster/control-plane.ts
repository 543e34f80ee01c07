import { rm } from "node:fs/promises";
import { join } from "node:path";
import { CONTROL_PLANE } from "../fabric/underlay.js";
import type { Lab } from "../lab.js";
import { findDaemon, waitFor } from "../processes/index.js";
import type { Toolchain } from "../toolchain/index.js";
import { kubernetes, underlay } from "../topology.js";
import { apiServer } from "./endpoints.js";

/** From a cold start on a busy machine with two cores. */
const API_SERVER_READY_MS = 120_000;

const ETCD = "http://127.0.0.1:2379";
const ETCD_PEERS = "http://127.0.0.1:2380";

/** Starts etcd and kube-apiserver where they do not run, and waits until the API server is ready. */
export async function startApiServer(lab: Lab, toolchain: Toolchain): Promise<void> {
  const keys = keyFolder(lab);
  if (findDaemon(lab.pidFile("etcd")) === undefined) {
    const data = join(lab.stateDirectory, "etcd");
    // A cluster lives as long as its lab: objects of an earlier one would name nodes and pods that are gone.
    await rm(data, { recursive: true, force: true });
    await start(lab, toolchain, "etcd", etcdArguments(data));
  }
  await start(lab, toolchain, "kube-apiserver", apiServerArguments(keys));
  await waitFor("kube-apiserver to be ready", () => apiServerIsReady(lab, toolchain), {
    timeout: API_SERVER_READY_MS,
    interval: 200,
    log: lab.logFile("kube-apiserver"),
  });
}

/** Starts kube-controller-manager and kube-scheduler where they do not run. */
export async function startControllers(lab: Lab, toolchain: Toolchain): Promise<void> {
  const keys = keyFolder(lab);
  await start(lab, toolchain, "kube-controller-manager", controllerManagerArguments(keys));
  await start(lab, toolchain, "kube-scheduler", schedulerArguments(keys));
}

/** Folder of certificates, keys and kubeconfig files. */
export function keyFolder(lab: Lab): string {
  return join(lab.stateDirectory, "pki");
}

async function start(lab: Lab, toolchain: Toolchain, name: string, args: readonly string[]): Promise<void> {
  if (findDaemon(lab.pidFile(name)) !== undefined) return;
  await lab.startDaemon(CONTROL_PLANE, { name, argv: [toolchain.path(name), ...args] });
}

async function apiServerIsReady(lab: Lab, toolchain: Toolchain): Promise<boolean> {
  const answer = await lab.admin([toolchain.path("kubectl"), "get", "--raw", "/readyz"], { check: false });
  return answer.code === 0 && answer.stdout === "ok";
}

function etcdArguments(data: string): readonly string[] {
  return [
    `--data-dir=${data}`,
    // Nothing here is worth a disk's patience.
    "--unsafe-no-fsync",
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    `--listen-peer-urls=${ETCD_PEERS}`,
    `--initial-advertise-peer-urls=${ETCD_PEERS}`,
    `--initial-cluster=default=${ETCD_PEERS}`,
    "--log-level=warn",
  ];
}

function apiServerArguments(keys: string): readonly string[] {
  const file = (name: string) => join(keys, name);
  return [
    `--etcd-servers=${ETCD}`,
    `--secure-port=${apiServer.port}`,
    `--advertise-address=${underlay.controlPlane}`,
    `--tls-cert-file=${file("kube-apiserver.crt")}`,
    `--tls-private-key-file=${file("kube-apiserver.key")}`,
    `--client-ca-file=${file("ca.crt")}`,
    `--service-account-key-file=${file("service-accounts.pub")}`,
    `--service-account-signing-key-file=${file("service-accounts.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-cluster-ip-range=${kubernetes.serviceCidr},${kubernetes.serviceCidr6}`,
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--allow-privileged=true",
    `--kubelet-client-certificate=${file("kubelet-client.crt")}`,
    `--kubelet-client-key=${file("kubelet-client.key")}`,
    `--kubelet-certificate-authority=${file("ca.crt")}`,
    // Logs and exec: nobody resolves the nodes' names.
    "--kubelet-preferred-address-types=InternalIP",
    // Webhooks: the control plane has routes to pods, and no kube-proxy for Service addresses.
    "--enable-aggregator-routing=true",
  ];
}

function controllerManagerArguments(keys: string): readonly string[] {
  return [
    `--kubeconfig=${join(keys, "kube-controller-manager.kubeconfig")}`,
    "--use-service-account-credentials",
    `--service-account-private-key-file=${join(keys, "service-accounts.key")}`,
    `--root-ca-file=${join(keys, "ca.crt")}`,
    "--leader-elect=false",
    `--cluster-cidr=${kubernetes.podCidr}`,
    // A dead node is seen within 18 s; less than the kubelet's lease interval of 10 s and a margin would be a guess.
    "--node-monitor-period=2s",
    "--node-monitor-grace-period=16s",
    "--bind-address=127.0.0.1",
  ];
}

function schedulerArguments(keys: string): readonly string[] {
  return [
    `--kubeconfig=${join(keys, "kube-scheduler.kubeconfig")}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
  ];
}
