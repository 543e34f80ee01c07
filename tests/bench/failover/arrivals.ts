import { isIPv4 } from "node:net";
import { createInterface } from "node:readline";
import type { Lab, LabProcess } from "../../../lab/index.js";
import { type NodeName, nodeNames } from "../../../lab/topology.js";

/** A client's packet, as it entered a node by the network's interface. */
export interface Arrival {
  readonly node: string;
  /** Milliseconds since the epoch, by the kernel. */
  readonly at: number;
}

/** Milliseconds between two packets of the client: what a time is exact to. */
export const packetSpacing = 5;

/** Sends echo requests from the client to a public address all the time, and notes by which node they come in. */
export class Arrivals {
  readonly packets: Arrival[] = [];
  private readonly programs: LabProcess[] = [];

  private constructor(private readonly address: string) {}

  static async start(lab: Lab, address: string): Promise<Arrivals> {
    const arrivals = new Arrivals(address);
    for (const node of nodeNames) await arrivals.listen(lab, node);
    const ping = ["ping", "-q", "-n", "-i", String(packetSpacing / 1000), address];
    arrivals.programs.push(lab.spawn("client", ping, { stdio: "ignore" }));
    return arrivals;
  }

  /** The last one by a node, and the first one by another after it. */
  between(from: string, to: string, since: number): { readonly last: number; readonly first: number } | undefined {
    const recent = this.packets.filter(({ at }) => at >= since);
    const first = recent.filter(({ node }) => node === to).at(0)?.at;
    const last = this.packets.filter(({ node, at }) => node === from && (first === undefined || at < first)).at(-1)?.at;
    return first === undefined || last === undefined ? undefined : { first, last };
  }

  /** Since a time: the nodes by which packets came, and the longest time without one, in milliseconds. */
  since(began: number): { readonly nodes: readonly string[]; readonly longestHole: number } {
    const recent = this.packets.filter(({ at }) => at >= began).toSorted((left, right) => left.at - right.at);
    const holes = recent.map(({ at }, index) => at - (recent[index - 1]?.at ?? began));
    return { nodes: [...new Set(recent.map(({ node }) => node))], longestHole: Math.max(...holes) };
  }

  async close(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.kill()));
  }

  /** Frames to its own MAC: what has no route for a while is flooded to every node. */
  private async listen(lab: Lab, node: NodeName): Promise<void> {
    const mac = (await lab.exec(node, ["cat", "/sys/class/net/vxlan228/address"])).stdout.trim();
    const requests = isIPv4(this.address) ? "icmp[icmptype] = icmp-echo" : "icmp6 and ip6[40] = 128";
    const filter = `${requests} and ether dst ${mac} and dst host ${this.address}`;
    const argv = ["tcpdump", "-i", "vxlan228", "-n", "-tt", "-l", "--immediate-mode", "-Q", "in", filter];
    const capture = lab.spawn(node, argv, { stdio: ["ignore", "pipe", "ignore"] });
    if (capture.child.stdout !== null) {
      createInterface({ input: capture.child.stdout }).on("line", (line) => {
        this.packets.push({ node, at: Number.parseFloat(line) * 1000 });
      });
    }
    this.programs.push(capture);
  }
}
