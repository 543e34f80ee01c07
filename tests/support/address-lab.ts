import {
  type KubernetesObject,
  kubectl,
  kubectlApply,
  loadImage,
  metallbNamespace,
  startNode,
  stopNode,
  waitForRollout,
} from "../../lab/cluster/index.js";
import { evpnRoutes } from "../../lab/fabric/index.js";
import { agentImage } from "../../lab/images/index.js";
import { createProgress, type Lab, labUp, waitFor } from "../../lab/index.js";
import { configureLabStack, firstNetwork, labStack, vxlanNetwork } from "../../lab/pulumi/lab-stack.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import { type NodeName, nodeNames, publicService, underlay } from "../../lab/topology.js";

/** A lab in which several kinds of LoadBalancer Services have public addresses, of both families, that MetalLB moves. */

const prefix6 = "2001:db8:228::/64";
const gateway6 = "2001:db8:228::1";
const outside6 = { gateway: "2001:db8:2::1", client: "2001:db8:2::10" } as const;

export interface PublicAddress {
  /** What of a Service it shows. */
  readonly kind: string;
  /** Those that have it. */
  readonly services: readonly string[];
  readonly address: string;
}

export const publicAddresses: readonly PublicAddress[] = [
  { kind: "policy Cluster", services: [publicService.name], address: publicService.address },
  { kind: "policy Local", services: ["local"], address: "203.0.113.40" },
  { kind: "shared", services: ["shared-a", "shared-b"], address: "203.0.113.30" },
  { kind: "two families, IPv4", services: ["families"], address: "203.0.113.50" },
  { kind: "two families, IPv6", services: ["families"], address: "2001:db8:228::50" },
];

const pool: KubernetesObject = {
  apiVersion: "metallb.io/v1beta1",
  kind: "IPAddressPool",
  metadata: { name: "public", namespace: metallbNamespace },
  spec: { addresses: ["203.0.113.10-203.0.113.250", "2001:db8:228::10-2001:db8:228::ff"] },
};

function service(name: string, addresses: string, port: number, spec: object, annotations = {}): KubernetesObject {
  const targetPort = 8080;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace: publicService.namespace,
      annotations: { "metallb.io/loadBalancerIPs": addresses, ...annotations },
    },
    spec: { type: "LoadBalancer", selector: { app: publicService.name }, ports: [{ port, targetPort }], ...spec },
  };
}

const shared = { "metallb.io/allow-shared-ip": "together" };

const serviceObjects: readonly KubernetesObject[] = [
  service("local", "203.0.113.40", 80, { externalTrafficPolicy: "Local" }),
  service("shared-a", "203.0.113.30", 8001, {}, shared),
  service("shared-b", "203.0.113.30", 8002, {}, shared),
  service("families", "203.0.113.50,2001:db8:228::50", 80, { ipFamilyPolicy: "RequireDualStack" }),
];

/** Makes the lab, with the agent as it is compiled now, and waits until every address has an owner. */
export async function addressLabUp(name: string): Promise<Lab> {
  const lab = await labUp(name, createProgress());
  const image = await agentImage();
  await loadImage(lab, image);
  await ipv6Outside(lab);
  const stack = await labStack(lab, locateToolchain());
  const network = vxlanNetwork(firstNetwork);
  const routing = [network.routing, { cidr: prefix6, gateway: gateway6, arpAnnouncer: true }];
  await configureLabStack(stack, lab, { image: image.reference, networks: [{ ...network, routing }] });
  const { code, stdout, stderr } = await stack.up();
  if (code !== 0) throw new Error(`pulumi up failed: ${stdout}\n${stderr}`);
  await kubectlApply(lab, [pool, ...serviceObjects]);
  await untilOwned(lab);
  return lab;
}

/** The provider's gateway and the client get addresses of the other family, without duplicate address detection. */
async function ipv6Outside(lab: Lab): Promise<void> {
  const run = (place: string, command: string) => lab.exec(place, command.split(" "));
  await run("gateway", "sysctl -q -w net.ipv6.conf.all.forwarding=1");
  await run("gateway", `ip address replace ${gateway6}/64 dev segment228 nodad`);
  await run("gateway", `ip address replace ${outside6.gateway}/64 dev outside nodad`);
  await run("client", `ip address replace ${outside6.client}/64 dev eth0 nodad`);
  await run("client", `ip -6 route replace default via ${outside6.gateway}`);
}

/** The nodes whose Type-2 for an address a reflector holds. */
export async function announcers(lab: Lab, address: string): Promise<readonly NodeName[]> {
  const hops = (await evpnRoutes(lab, "rr1"))
    .filter(({ routeType, ip }) => routeType === 2 && ip === address)
    .map(({ nextHop }) => nextHop);
  return nodeNames.filter((node) => hops.includes(underlay.nodes[node]));
}

/** By address: its one owner. Waits until each has one, as MetalLB says and as the fabric knows. */
export async function untilOwned(lab: Lab, timeout = 90_000): Promise<ReadonlyMap<string, NodeName>> {
  const owners = new Map<string, NodeName>();
  let seen = "";
  await waitFor(
    "each address to have one owner",
    async () => {
      const all = await Promise.all(
        publicAddresses.map(async ({ address }) => [address, await announcers(lab, address)] as const),
      );
      seen = all.map(([address, nodes]) => `${address} ${nodes.join("+") || "nobody"}`).join(", ");
      for (const [address, [node]] of all) if (node !== undefined) owners.set(address, node);
      return all.every(([, nodes]) => nodes.length === 1);
    },
    { timeout, interval: 200 },
  ).catch((error: Error) => {
    throw new Error(`${error.message}; the reflector has ${seen}`);
  });
  return owners;
}

/** SIGKILL to the speaker's process on a node: its kubelet starts it again in place. */
export async function killSpeaker(lab: Lab, node: NodeName): Promise<void> {
  // In the node's own PID namespace, where no other speaker is.
  const script =
    'for p in /proc/[0-9]*; do [ "$(cat "$p/comm" 2>/dev/null)" = speaker ] && kill -9 "$(basename "$p")"; done; true';
  await lab.exec(node, ["sh", "-c", script]);
}

/** Speakers of which none has said anything yet, on every node. */
export async function replaceSpeakers(lab: Lab): Promise<void> {
  await kubectl(lab, [`--namespace=${metallbNamespace}`, "rollout", "restart", "daemonset/speaker"]);
  await speakersReady(lab);
}

function speakersReady(lab: Lab): Promise<void> {
  return waitForRollout(lab, metallbNamespace, "daemonset/speaker", 120);
}

export async function cordon(lab: Lab, node: NodeName): Promise<void> {
  await kubectl(lab, ["cordon", node]);
}

export async function uncordon(lab: Lab, node: NodeName): Promise<void> {
  await kubectl(lab, ["uncordon", node]);
}

/** Takes a node out of the load balancers' service, as drains of some clusters do; MetalLB moves its addresses. */
export async function excludeNode(lab: Lab, node: NodeName): Promise<void> {
  await kubectl(lab, [
    "label",
    "--overwrite",
    "node",
    node,
    "node.kubernetes.io/exclude-from-external-load-balancers=true",
  ]);
}

export async function includeNode(lab: Lab, node: NodeName): Promise<void> {
  await kubectl(lab, ["label", "node", node, "node.kubernetes.io/exclude-from-external-load-balancers-"]);
}

export async function deleteNode(lab: Lab, node: NodeName): Promise<void> {
  await kubectl(lab, ["delete", "node", node, "--wait=false"]);
}

/** Off and on again: a kubelet registers its node when it starts, and its agent and speaker come with it. */
export async function bringBack(lab: Lab, node: NodeName): Promise<void> {
  await stopNode(lab, node);
  await startNode(lab, node);
  await waitFor(
    `${node} to carry the network again`,
    async () => (await lab.exec(node, ["ip", "link", "show", "dev", "vxlan228", "up"], { check: false })).stdout !== "",
    { timeout: 90_000 },
  );
  await speakersReady(lab);
}
