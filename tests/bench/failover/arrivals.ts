import { createInterface } from "node:readline";
import type { Lab, LabProcess } from "../../../lab/index.js";
import { nodeNames, outside, publicService } from "../../../lab/topology.js";

/** A client's packet, as it entered a node by the network's interface. */
export interface Arrival {
  readonly node: string;
  /** Milliseconds since the epoch, by the kernel. */
  readonly at: number;
}

/** Milliseconds between two packets of the client: what a time is exact to. */
export const packetSpacing = 5;

/** Sends echo requests to the public address all the time, and notes by which node they come in. */
export class Arrivals {
  readonly packets: Arrival[] = [];
  private readonly programs: readonly LabProcess[];

  constructor(lab: Lab) {
    const filter = ["icmp", "and", "src", "host", outside.client, "and", "dst", "host", publicService.address];
    const captures = nodeNames.map((node) => {
      const argv = ["tcpdump", "-i", "vxlan228", "-n", "-tt", "-l", "--immediate-mode", "-Q", "in", ...filter];
      const capture = lab.spawn(node, argv, { stdio: ["ignore", "pipe", "ignore"] });
      if (capture.child.stdout !== null) {
        createInterface({ input: capture.child.stdout }).on("line", (line) => {
          this.packets.push({ node, at: Number.parseFloat(line) * 1000 });
        });
      }
      return capture;
    });
    const interval = String(packetSpacing / 1000);
    const client = lab.spawn("client", ["ping", "-q", "-n", "-i", interval, publicService.address], {
      stdio: "ignore",
    });
    this.programs = [...captures, client];
  }

  /** The last one by a node, and the first one by another after it. */
  between(from: string, to: string, since: number): { readonly last: number; readonly first: number } | undefined {
    const recent = this.packets.filter(({ at }) => at >= since);
    const first = recent.filter(({ node }) => node === to).at(0)?.at;
    const last = this.packets.filter(({ node, at }) => node === from && (first === undefined || at < first)).at(-1)?.at;
    return first === undefined || last === undefined ? undefined : { first, last };
  }

  async close(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.kill()));
  }
}
