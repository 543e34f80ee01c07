import { setTimeout as sleep } from "node:timers/promises";
import { kubectlGet } from "../../lab/cluster/index.js";
import { bgpNeighbors } from "../../lab/fabric/index.js";
import { type Lab, waitFor } from "../../lab/index.js";
import { type NodeName, nodeNames, reflectorNames, underlay } from "../../lab/topology.js";

/** The agent's pod on a node. */
export interface AgentPod {
  readonly uid: string;
  /** Reference of the image that it shall run. */
  readonly image: string;
  readonly ready: boolean;
  /** How often its container was started again. */
  readonly restarts: number;
}

export type AgentPods = ReadonlyMap<NodeName, AgentPod>;

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
    readonly spec: { readonly nodeName: NodeName; readonly containers: readonly [{ readonly image: string }] };
    readonly status: {
      readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[];
    };
  }[];
}

/** Those that are not about to end; a node whose former one ends has none. */
export async function agentPods(lab: Lab): Promise<AgentPods> {
  const { items } = await kubectlGet<PodList>(lab, ["--namespace=vlan-router", "pods"]);
  return new Map(
    items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec, status }) => {
        const { ready = false, restartCount: restarts = 0 } = status.containerStatuses?.[0] ?? {};
        return [spec.nodeName, { uid: metadata.uid, image: spec.containers[0].image, ready, restarts }];
      }),
  );
}

/** Runs `event` and looks meanwhile which nodes are without a ready agent; returns the largest set of them seen at once. */
export async function unreadyDuring<T>(
  lab: Lab,
  event: () => Promise<T>,
): Promise<{ readonly value: T; readonly unready: readonly NodeName[] }> {
  let unready: readonly NodeName[] = [];
  let over = false;
  const watch = async () => {
    while (!over) {
      const pods = await agentPods(lab);
      const now = nodeNames.filter((node) => pods.get(node)?.ready !== true);
      if (now.length > unready.length) unready = now;
      await sleep(500);
    }
  };
  const watching = watch();
  try {
    return { value: await event(), unready };
  } finally {
    over = true;
    await watching;
  }
}

/** Waits until every node has its sessions to both reflectors. */
export async function untilSessions(lab: Lab, nodes: readonly NodeName[] = nodeNames): Promise<void> {
  const addresses: readonly string[] = nodes.map((node) => underlay.nodes[node]);
  await waitFor(
    "all sessions to be Established",
    async () => {
      const neighbors = (await Promise.all(reflectorNames.map((name) => bgpNeighbors(lab, name)))).flat();
      const up = neighbors.filter(({ address, state }) => addresses.includes(address) && state === "Established");
      return up.length === addresses.length * reflectorNames.length;
    },
    { timeout: 60_000 },
  );
}
