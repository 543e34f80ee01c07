import { readFile } from "node:fs/promises";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import type { Lab } from "../lab.js";
import type { Toolchain } from "../toolchain/index.js";
import { asn, type FabricNetwork, fabricNetworks, kubernetes, reflectorNames, underlay } from "../topology.js";
import { Stack } from "./stack.js";

/** The name of the stack that both commands bring up in their lab. */
export const STACK = "lab";

/** Name of the project in the root `Pulumi.yaml`; configuration keys stand in its namespace. */
const PROJECT = "public-networks";

/** A public network in the configuration format, as the example takes it from stack configuration. */
export type NetworkConfiguration = Readonly<Record<string, unknown>>;

/** A fabric network as a VXLAN network with both reflectors as peers. */
export function vxlanNetwork({ vni, cidr, gateway }: FabricNetwork): NetworkConfiguration {
  return {
    type: "vxlan",
    vxlan: {
      vni,
      nodeNet: underlay.prefix,
      bgp: { myAsn: asn, peerAsn: asn, peers: reflectorNames.map((name) => underlay.reflectors[name]), holdTime: 9 },
    },
    routing: { cidr, gateway, arpAnnouncer: true },
  };
}

export const [firstNetwork, secondNetwork] = fabricNetworks as readonly [FabricNetwork, FabricNetwork];

export interface LabConfiguration {
  /** Reference of the agent's image, loaded into the nodes before. */
  readonly image: string;
  readonly networks: readonly NetworkConfiguration[];
  /** How long an update waits for the agents; the package's default when left out. */
  readonly timeoutSeconds?: number;
}

/** The stack of the repository's own project, which runs examples/public-networks. */
export async function labStack(lab: Lab, toolchain: Toolchain): Promise<Stack> {
  const stack = new Stack(lab, toolchain, { project: repositoryRoot, name: STACK });
  await stack.init();
  return stack;
}

export async function configureLabStack(stack: Stack, lab: Lab, configuration: LabConfiguration): Promise<void> {
  const { image, networks, timeoutSeconds } = configuration;
  await stack.configure(
    {
      [`${PROJECT}:image`]: image,
      [`${PROJECT}:imagePullPolicy`]: "Never",
      [`${PROJECT}:podNetworks`]: [kubernetes.podCidr, kubernetes.serviceCidr],
      [`${PROJECT}:networks`]: networks,
      ...(timeoutSeconds === undefined ? {} : { [`${PROJECT}:timeoutSeconds`]: timeoutSeconds }),
    },
    { "vlan-router:kubeconfig": await readFile(lab.kubeconfig, "utf8") },
  );
}
