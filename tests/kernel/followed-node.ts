import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration, startNode } from "./base-node.js";
import { type KernelState, kernelState } from "./kernel-state.js";
import { monotonicTime, RemoteReconciler } from "./remote-reconciler.js";

/** One network with a subnet of each family: table 228, interface vxlan228. */
export const dualStackYaml = `
podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1" }
`;

/** The monitors' sockets are open some milliseconds after the programs start, and a comparison follows that. */
const monitorsStart = 800;
/** Milliseconds for a test to fail after, not what a repair may take. */
const repairLimit = 5_000;

/** A node that carries the network and repairs it, with two VTEPs behind it. */
export class FollowedNode {
  readonly node: TestNamespaces;
  readonly reconciler: RemoteReconciler;
  private carried: unknown;

  private constructor(node: TestNamespaces, reconciler: RemoteReconciler) {
    this.node = node;
    this.reconciler = reconciler;
  }

  /**
   * @param others commands of `ip` for what else is on the node
   * @param yaml its one network has the interface vxlan228
   */
  static async start(others: readonly string[] = [], yaml = dualStackYaml): Promise<FollowedNode> {
    const node = await startNode();
    await node.ip("n1", ...others);
    const reconciler = RemoteReconciler.start(node, "n1");
    const followed = new FollowedNode(node, reconciler);
    const plan: NodePlan = await reconciler.plan(configuration(yaml));
    const { networks } = await reconciler.reconcile(plan);
    const { errors } = await reconciler.applyForwarding("vxlan228", {
      flood: ["10.0.7.19", "10.0.7.20"],
      hosts: [{ mac: "02:00:00:00:00:19", vtep: "10.0.7.19" }],
      neighbours: [],
    });
    const failures = [...errors, ...networks.flatMap((network) => network.errors)];
    if (failures.length > 0) throw new Error(failures.join("; "));
    followed.carried = await followed.state();
    await reconciler.follow(plan);
    await sleep(monitorsStart);
    return followed;
  }

  /** A command line for the node's shell. */
  async shell(command: string): Promise<string> {
    return (await this.node.exec("n1", ["sh", "-c", command])).stdout;
  }

  /** Milliseconds from the start of a command that does damage to the last repair, once everything stands as before. */
  async repairAfter(command: string): Promise<number> {
    const before = (await this.reconciler.repairs()).length;
    const start = monotonicTime();
    await this.shell(command);
    // A look at the kernel alone would not do: the state may be back before the first look.
    await waitFor("a repair", async () => (await this.reconciler.repairs()).length > before, { timeout: repairLimit });
    await waitFor("the state as before", () => this.stands(), { timeout: repairLimit }).catch(async (error: Error) =>
      assert.deepEqual(await this.state(), this.carried, error.message),
    );
    const repairs = (await this.reconciler.repairs()).slice(before);
    return Math.max(...repairs.map(({ at }) => at)) - start;
  }

  /** Whether the kernel holds what it held at the start. */
  async stands(): Promise<boolean> {
    return JSON.stringify(await this.state()) === JSON.stringify(this.carried);
  }

  async end(): Promise<void> {
    await this.reconciler.end();
    await this.node.end();
  }

  private async state(): Promise<unknown> {
    return {
      ...comparable(await kernelState(this.node, "n1")),
      forwarding: (await this.shell("bridge fdb show dev vxlan228")).split("\n").toSorted(),
      addresses: (await this.shell("ip -brief address show dev vxlan228")).replace(/\b(UNKNOWN|UP)\s+/, ""),
      sysctls: await this.shell("sysctl net.ipv4.conf.vxlan228.rp_filter net.ipv6.conf.vxlan228.accept_ra"),
    };
  }
}

/**
 * A new interface has a new index, its state is told to be up only once its carrier was away, a bridge keeps the offload limit of a
 * port that it had and counts its timers down, and a rule that was put back stands last among those of its priority.
 */
function comparable(state: KernelState): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(state).map(([command, text]) => [
      command,
      command.endsWith("rule")
        ? text.split("\n").toSorted()
        : text
            .replace(/"(ifindex|tso_max_size|\w+_timer)":[\d.]+,/g, "")
            .replaceAll('"operstate":"UNKNOWN"', '"operstate":"UP"'),
    ]),
  );
}
