import { wrongDoorPackets } from "../fabric/index.js";
import type { Lab } from "../lab.js";
import { sentPackets } from "../observe/interface-counters.js";
import { waitFor } from "../processes/index.js";
import { nodeNames, publicService } from "../topology.js";

/** What a client's requests to the public Service showed. */
export interface TrafficProof {
  readonly url: string;
  readonly requests: number;
  readonly answered: number;
  /** An answer, as an example. */
  readonly answer: string;
  /** Packets that all nodes sent by the network's interface meanwhile: the replies. */
  readonly sentByInterface: number;
  /** Packets from the public network that came to the nodes' default gateway meanwhile. */
  readonly wrongDoor: number;
}

/** MetalLB looks for new interfaces every 10 s (its internal/layer2/announcer.go) and answers ARP on none before. */
const FIRST_ANSWER_MS = 45_000;

/** Waits until the Service answers a client, then sends requests and counts which way the replies take. */
export async function proveTraffic(lab: Lab, device: string, cidr: string, requests = 20): Promise<TrafficProof> {
  const url = `http://${publicService.address}:${publicService.port}/`;
  const get = () => lab.exec("client", ["curl", "--silent", "--max-time", "2", url], { check: false });
  await waitFor(`${url} to answer the client`, async () => (await get()).code === 0, { timeout: FIRST_ANSWER_MS });

  const count = async () => ({
    sent: (await Promise.all(nodeNames.map((node) => sentPackets(lab, node, device)))).reduce((sum, n) => sum + n, 0),
    wrong: (await wrongDoorPackets(lab))[cidr] ?? 0,
  });
  const before = await count();
  const answers: string[] = [];
  for (let request = 0; request < requests; request += 1) {
    const { code, stdout } = await get();
    if (code === 0) answers.push(stdout.trim());
  }
  const after = await count();
  return {
    url,
    requests,
    answered: answers.length,
    answer: answers[0] ?? "",
    sentByInterface: after.sent - before.sent,
    wrongDoor: after.wrong - before.wrong,
  };
}

/** Whether every request was answered, by the right door alone. A reply takes three packets at the least. */
export function isProven({ requests, answered, sentByInterface, wrongDoor }: TrafficProof): boolean {
  return answered === requests && wrongDoor === 0 && sentByInterface >= 3 * requests;
}
