import { createInterface } from "node:readline";
import { kubectl, metallbNamespace } from "../../../lab/cluster/index.js";
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
    readonly involvedObject?: { readonly name?: string };
    readonly message?: string;
  };
}

const paths = [
  `/apis/metallb.io/v1beta1/namespaces/${metallbNamespace}/servicel2statuses?`,
  "/api/v1/events?fieldSelector=involvedObject.kind%3DService%2Creason%3DnodeAssigned&",
];

/** Watches as the agent does, beside it. */
export class ClaimTimes {
  readonly times: ClaimTime[] = [];
  private readonly watches: LabProcess[] = [];

  private constructor(private readonly services: readonly string[]) {}

  /**
   * What is said from now on: a watch without a version would begin with all that was said before.
   *
   * @param services names of those that count
   */
  static async start(lab: Lab, services: readonly string[]): Promise<ClaimTimes> {
    const claims = new ClaimTimes(services);
    for (const path of paths) {
      const list = JSON.parse(await kubectl(lab, ["get", "--raw", path])) as { metadata: { resourceVersion: string } };
      const from = `${path}watch=true&resourceVersion=${list.metadata.resourceVersion}`;
      const watch = lab.spawn("admin", [locateToolchain().path("kubectl"), "get", "--raw", from]);
      if (watch.child.stdout !== null) {
        const lines = createInterface({ input: watch.child.stdout });
        lines.on("line", (line) => claims.take(JSON.parse(line) as WatchEvent));
      }
      claims.watches.push(watch);
    }
    return claims;
  }

  /** When the node was named first after a time. */
  firstAfter(node: string, since: number): number | undefined {
    return this.times.find((time) => time.node === node && time.at >= since)?.at;
  }

  /** When another node than this was named first after a time. */
  firstOfOthers(node: string, since: number): number | undefined {
    return this.times.find((time) => time.node !== node && time.at >= since)?.at;
  }

  async close(): Promise<void> {
    await Promise.all(this.watches.map((watch) => watch.kill()));
  }

  private take({ type, object }: WatchEvent): void {
    const service = object.metadata.labels?.["metallb.io/service-name"] ?? object.involvedObject?.name;
    if (service === undefined || !this.services.includes(service)) return;
    const node = object.metadata.labels?.["metallb.io/node"] ?? /from node "([^"]+)"/.exec(object.message ?? "")?.[1];
    if (type !== "DELETED" && node !== undefined) this.times.push({ node, at: Date.now() });
  }
}
