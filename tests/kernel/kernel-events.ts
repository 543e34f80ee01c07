import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { childEnd, waitFor } from "../../lab/processes/index.js";
import type { TestNamespaces } from "../support/namespace.js";

/** Belongs to no test's network. */
const MARK_DEVICE = "marks";

/** A monitor, and a change that concerns nobody, by which is seen that it listens and has told all that came before. */
interface Watch {
  readonly argv: readonly string[];
  readonly mark: (address: string) => string;
}

/** In the order of what {@link KernelEvents.takeByMonitor} gives. */
const watches: readonly Watch[] = [
  {
    argv: ["ip", "monitor", "link", "address", "route", "rule"],
    mark: (address) => `ip route add ${address}/32 dev lo table 4242; ip route del ${address}/32 dev lo table 4242`,
  },
  {
    argv: ["bridge", "monitor", "fdb"],
    mark: (address) => {
      const entry = `00:00:00:00:00:00 dev ${MARK_DEVICE} dst ${address}`;
      return `bridge fdb append ${entry}; bridge fdb del ${entry}`;
    },
  },
  {
    argv: ["nft", "monitor"],
    mark: (address) => `nft add table inet mark_${address}; nft delete table inet mark_${address}`.replaceAll(".", "_"),
  },
];

/** Of the range for benchmarks (RFC 2544), which nothing on a test's node uses. */
const addressOfMark = (mark: number): string => `198.18.${mark >> 8}.${mark & 255}`;
const marked = (line: string): string | undefined => /198[._]18[._]\d+[._]\d+/.exec(line)?.[0].replaceAll("_", ".");

/** What the kernel tells of changes of its links, addresses, routes, rules, forwarding entries and nft tables. */
export class KernelEvents {
  private readonly streams: string[][] = [];
  private readonly children: ChildProcess[] = [];
  private lastMark = 0;

  private constructor(
    private readonly namespaces: TestNamespaces,
    private readonly place: string,
  ) {}

  static async start(namespaces: TestNamespaces, place: string): Promise<KernelEvents> {
    const events = new KernelEvents(namespaces, place);
    await namespaces.ip(place, `link add ${MARK_DEVICE} type vxlan id 4242 dstport 14242 local 192.0.2.1`);
    for (const { argv } of watches) {
      const child = namespaces.spawn(place, argv, { stdio: ["ignore", "pipe", "inherit"] });
      const lines: string[] = [];
      if (child.stdout !== null)
        createInterface({ input: child.stdout }).on("line", (line) => lines.push(line.trimEnd()));
      events.streams.push(lines);
      events.children.push(child);
    }
    // A monitor hears nothing of what came before its socket was open.
    await waitFor("all monitors to listen", async () => {
      await events.mark();
      return events.streams.every((lines) => lines.some((line) => marked(line) !== undefined));
    });
    await events.take();
    return events;
  }

  /** All that was told since the last call. */
  async take(): Promise<readonly string[]> {
    return Object.values(await this.takeByMonitor()).flat();
  }

  /** The same, in the order in which each monitor told it. */
  async takeByMonitor(): Promise<Readonly<Record<"ip" | "bridge" | "nft", readonly string[]>>> {
    const address = await this.mark();
    await waitFor("the monitors to have told everything", () =>
      // Its beginning and its end.
      this.streams.every((lines) => lines.filter((line) => marked(line) === address).length >= 2),
    );
    const [ip = [], bridge = [], nft = []] = this.streams.map((lines) =>
      lines.splice(0).filter((line) => marked(line) === undefined && !line.startsWith("# new generation")),
    );
    return { ip, bridge, nft };
  }

  async end(): Promise<void> {
    for (const child of this.children) child.kill();
    await Promise.all(this.children.map(childEnd));
    await this.namespaces.ip(this.place, `link del ${MARK_DEVICE}`);
  }

  private async mark(): Promise<string> {
    this.lastMark += 1;
    const address = addressOfMark(this.lastMark);
    const script = watches.map(({ mark }) => mark(address)).join("; ");
    await this.namespaces.exec(this.place, ["sh", "-e", "-c", script]);
    return address;
  }
}
