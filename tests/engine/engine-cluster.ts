import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bgpdConfiguration } from "../../lab/fabric/frr-configuration.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { childEnd, type Result, signalEntered, waitFor } from "../../lab/processes/index.js";
import { Stack } from "../../lab/pulumi/stack.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import { type ReflectorName, reflectorNames, underlay } from "../../lab/topology.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import { TestNamespaces } from "../support/namespace.js";
import { BareApiServer } from "./bare-api-server.js";

export const engineNodes = ["n1", "n2"] as const;
export type EngineNode = (typeof engineNodes)[number];

/** What the stacks of the tests name as the agent's image. */
export const engineImage = "registry.example.com/vlan-router-agent:0.1.0";

const controlPlane = "cp";
const bgpd = "/usr/lib/frr/bgpd";
/** What deletion needs: namespaces are emptied, objects of deleted owners go. The other controllers would need kubelets. */
const controllers = ["namespace-controller", "garbage-collector-controller"];
/** Many times what the engine needs to come to the DaemonSet. */
const deploymentMs = 300_000;
const nodesPath = "/api/v1/nodes";
const daemonSetPath = "/apis/apps/v1/namespaces/vlan-router/daemonsets/agent";

const apiServerPort = 6443;
const relayPort = 7443;
/** Hands on TCP connections, and says when it listens. */
const relayProgram = `const { connect, createServer } = require("node:net");
const { address, port, to } = JSON.parse(process.argv[1]);
createServer((from) => {
  const server = connect(to, address);
  for (const [one, other] of [[from, server], [server, from]]) one.on("error", () => other.destroy()).pipe(other);
}).listen(port, address, () => console.log("listening"));
`;

interface DaemonSet {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

/**
 * A cluster for the real engine that starts in seconds: a real API server, the controllers that deletion needs, nodes in
 * network namespaces with the real agent, and FRR as their BGP peers. What is missing is kubelets; the test does their part.
 */
export class EngineCluster {
  private readonly agents = new Map<EngineNode, AgentProcess>();
  private relay: Promise<void> | undefined;
  private readonly peers = new Map<ReflectorName, ChildProcess>();

  private constructor(
    readonly namespaces: TestNamespaces,
    readonly api: BareApiServer,
    private readonly directory: string,
  ) {}

  /** Nodes are there, and Kubernetes does not hear from them yet. */
  static async start(): Promise<EngineCluster> {
    const namespaces = await TestNamespaces.start([controlPlane, ...reflectorNames, ...engineNodes]);
    await namespaces.ip(controlPlane, "link add br0 type bridge", "link set br0 up");
    await namespaces.ip(controlPlane, `address add ${underlay.controlPlane}/${underlay.prefixLength} dev br0`);
    const { n1, n2 } = underlay.nodes;
    for (const [name, address] of Object.entries({ ...underlay.reflectors, n1, n2 })) {
      await namespaces.connect(name, "eth0", controlPlane, name);
      await namespaces.ip(controlPlane, `link set ${name} master br0`);
      await namespaces.ip(name, `address add ${address}/${underlay.prefixLength} dev eth0`);
    }
    const api = await BareApiServer.start(namespaces, controlPlane, underlay.controlPlane);
    const cluster = new EngineCluster(namespaces, api, await mkdtemp(join(tmpdir(), "vlan-router-engine-")));
    await cluster.startControllers();
    for (const name of engineNodes) {
      const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" };
      await api.do({ method: "POST", path: nodesPath, body: { metadata: { name, labels } } });
      await cluster.hear(name, false);
    }
    return cluster;
  }

  /**
   * A stack of the project in a folder.
   * @param name of stack and state: folders that share it are versions of one project
   */
  async stack(project: string, name: string): Promise<Stack> {
    const stateDirectory = this.stateDirectory(name);
    await mkdir(stateDirectory, { recursive: true });
    const stack = new Stack(
      {
        stateDirectory,
        admin: (argv, { cwd = "/", ...rest } = {}) =>
          this.namespaces.exec(controlPlane, ["env", `--chdir=${cwd}`, ...argv], rest),
      },
      locateToolchain(),
      { project, name },
    );
    await stack.init();
    return stack;
  }

  /** What the engine keeps on disk of the stacks of a name: states, configuration, history, logs. */
  stateDirectory(name: string): string {
    return join(this.directory, name);
  }

  /** What Kubernetes says of a node; with `false`, that it does not hear from its kubelet. */
  async hear(node: EngineNode, ready: boolean): Promise<void> {
    const condition = ready
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "" }
      : { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "" };
    await this.api.do({
      method: "PATCH",
      path: `${nodesPath}/${node}/status`,
      contentType: "application/merge-patch+json",
      body: { status: { conditions: [condition] } },
    });
  }

  /**
   * Waits for the end of a deployment, and meanwhile does what kubelets would do of it: as soon as the DaemonSet is there,
   * its agent runs on every node.
   */
  async deploy(deployment: Promise<Result>): Promise<Result> {
    let ended = false;
    const result = deployment.finally(() => {
      ended = true;
    });
    await Promise.all([result, this.startAgents(() => ended)]);
    return result;
  }

  /**
   * Waits for the DaemonSet, and starts its agent on every node.
   * @param inVain nobody makes the DaemonSet any more
   */
  async startAgents(inVain: () => boolean = () => false): Promise<void> {
    const found = await waitFor(
      "the DaemonSet",
      async () => {
        const { status, body } = await this.api.request({ path: daemonSetPath });
        return status === 200 ? (body as DaemonSet) : inVain() && "none";
      },
      { timeout: deploymentMs, interval: 200 },
    );
    if (found === "none") return;
    const image = found.spec.template.spec.containers[0]?.image ?? "";
    for (const name of engineNodes) {
      const agent =
        this.agents.get(name) ??
        (await AgentProcess.create(inNamespaces(this.namespaces), name, "--kubeconfig", this.api.agentKubeconfig()));
      this.agents.set(name, agent);
      agent.start("--image", image);
    }
  }

  /** The node is gone from one moment to the next: its agent says no last word, and Kubernetes hears nothing of it. */
  async powerOff(node: EngineNode): Promise<void> {
    const agent = this.agents.get(node);
    if (agent === undefined) throw new Error(`${node} has no agent`);
    await agent.stop("SIGKILL");
    await this.hear(node, false);
  }

  /** The administrator's, by another address of the API server: as of a load balancer before it. */
  async relayedKubeconfig(): Promise<string> {
    this.relay ??= this.startRelay();
    await this.relay;
    return this.api.adminKubeconfig().replace(`:${apiServerPort}`, `:${relayPort}`);
  }

  async startPeer(name: ReflectorName): Promise<void> {
    const directory = await mkdtemp(join(this.directory, `${name}-`));
    const configuration = join(directory, "bgpd.conf");
    await writeFile(configuration, bgpdConfiguration(name));
    const files = ["--config_file", configuration, "--pid_file", join(directory, "bgpd.pid")];
    const options = ["--vty_socket", directory, "--vty_port", "0", "--no_zebra", "--skip_runas"];
    this.peers.set(name, this.namespaces.spawn(name, [bgpd, ...files, ...options], { stdio: "ignore" }));
  }

  /** Its sessions close. */
  async stopPeer(name: ReflectorName): Promise<void> {
    const peer = this.peers.get(name);
    if (peer === undefined) throw new Error(`${name} does not run`);
    this.peers.delete(name);
    await signalEntered(peer, ENTRY_WAITING_PARENTS, "SIGTERM");
    await childEnd(peer);
  }

  async end(): Promise<void> {
    for (const agent of this.agents.values()) await agent.end();
    await this.namespaces.end();
    await this.api.end();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async startRelay(): Promise<void> {
    const options = JSON.stringify({ address: underlay.controlPlane, port: relayPort, to: apiServerPort });
    const argv = [process.execPath, "-e", relayProgram, options];
    const { stdout } = this.namespaces.spawn(controlPlane, argv, { stdio: ["ignore", "pipe", "inherit"] });
    if (stdout !== null) await once(stdout, "data");
  }

  private async startControllers(): Promise<void> {
    const kubeconfig = join(this.directory, "controllers.kubeconfig");
    await writeFile(kubeconfig, this.api.adminKubeconfig());
    const options = [`--kubeconfig=${kubeconfig}`, `--controllers=${controllers.join(",")}`, "--leader-elect=false"];
    const program = locateToolchain().path("kube-controller-manager");
    this.namespaces.spawn(controlPlane, [program, ...options], { stdio: "ignore" });
  }
}
