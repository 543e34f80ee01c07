import { createInterface } from "node:readline";
import { metallbNamespace } from "../../../lab/cluster/index.js";
import type { Lab, LabProcess } from "../../../lab/index.js";
import { locateToolchain } from "../../../lab/toolchain/index.js";

/** That MetalLB said of a node, by either of its ways, that it announces the Service. */
interface ClaimTime {
  readonly node: string;
  /** Milliseconds since the epoch at which a watcher was told. */
  readonly at: number;
}

interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
    readonly message?: string;
  };
}

/** Watches as the agent does, beside it. */
export class ClaimTimes {
  readonly times: ClaimTime[] = [];
  private readonly watches: readonly LabProcess[];

  constructor(lab: Lab) {
    const paths = [
      `/apis/metallb.io/v1beta1/namespaces/${metallbNamespace}/servicel2statuses?watch=true`,
      "/api/v1/events?watch=true&fieldSelector=involvedObject.kind%3DService%2Creason%3DnodeAssigned",
    ];
    this.watches = paths.map((path) => {
      const watch = lab.spawn("admin", [locateToolchain().path("kubectl"), "get", "--raw", path]);
      if (watch.child.stdout !== null) {
        createInterface({ input: watch.child.stdout }).on("line", (line) => this.take(JSON.parse(line) as WatchEvent));
      }
      return watch;
    });
  }

  /** When the node was named first after a time. */
  firstAfter(node: string, since: number): number | undefined {
    return this.times.find((time) => time.node === node && time.at >= since)?.at;
  }

  async close(): Promise<void> {
    await Promise.all(this.watches.map((watch) => watch.kill()));
  }

  private take({ type, object }: WatchEvent): void {
    const node = object.metadata.labels?.["metallb.io/node"] ?? /from node "([^"]+)"/.exec(object.message ?? "")?.[1];
    if (type !== "DELETED" && node !== undefined) this.times.push({ node, at: Date.now() });
  }
}
