import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { waitFor } from "../../lab/processes/index.js";
import type { TestNamespaces } from "../support/namespace.js";

/** What tcpdump hears on one interface, a line for each frame, until the namespaces end. */
export class CapturedFrames {
  readonly lines: string[] = [];
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.child = child;
    if (child.stdout !== null) createInterface({ input: child.stdout }).on("line", (line) => this.lines.push(line));
  }

  /** @param filter of pcap-filter(7) */
  static async start(net: TestNamespaces, place: string, device: string, filter: string): Promise<CapturedFrames> {
    const argv = ["tcpdump", "-i", device, "-n", "-e", "-l", "--immediate-mode", ...filter.split(" ")];
    const child = net.spawn(place, argv, { stdio: ["ignore", "pipe", "pipe"] });
    let heard = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      heard += chunk.toString();
    });
    await waitFor(`tcpdump on ${device} of ${place}`, async () => heard.includes("listening on"), { timeout: 10_000 });
    return new CapturedFrames(child);
  }

  /** Those that fit, without their times. */
  matching(pattern: RegExp): readonly string[] {
    return this.lines.filter((line) => pattern.test(line)).map((line) => line.replace(/^\S+ /, ""));
  }

  stop(): void {
    this.child.kill();
  }
}
