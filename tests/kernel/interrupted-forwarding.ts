import assert from "node:assert/strict";
import type { ForwardingState } from "../../agent-image/agent/evpn/forwarding-state.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration, startNode } from "./base-node.js";
import { RemoteReconciler } from "./remote-reconciler.js";

const yaml = `
podNetworks: [10.244.0.0/16]
networks:
  - name: plain
    type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
  - name: machines
    type: vxlan
    vxlan: { vni: 240, nodeNet: 10.0.7.0/24, bridge: true, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;

/** Alone, and as the port of a bridge that has to be told as well. */
export const DEVICES = ["vxlan228", "vxlan240"] as const;
export type Device = (typeof DEVICES)[number];

/** What routes ask for. On the way from one to the next a MAC moves, one comes, one goes and one stays; so do VTEPs. */
export const ROUTES = {
  "the routes of before": {
    flood: ["10.0.7.19", "10.0.7.20"],
    hosts: [
      { mac: "02:00:00:00:00:aa", vtep: "10.0.7.19" },
      { mac: "02:00:00:00:00:bb", vtep: "10.0.7.20" },
      { mac: "02:00:00:00:00:cc", vtep: "10.0.7.19" },
    ],
    neighbours: [],
  },
  "the routes that were being written": {
    flood: ["10.0.7.20", "10.0.7.21"],
    hosts: [
      { mac: "02:00:00:00:00:aa", vtep: "10.0.7.20" },
      { mac: "02:00:00:00:00:cc", vtep: "10.0.7.19" },
      { mac: "02:00:00:00:00:dd", vtep: "10.0.7.21" },
    ],
    neighbours: [],
  },
  "no route": { flood: [], hosts: [], neighbours: [] },
} as const satisfies Readonly<Record<string, ForwardingState>>;
export type Routes = keyof typeof ROUTES;
export const GOALS = Object.keys(ROUTES) as readonly Routes[];

/** `bridge fdb show`, of what routes make; sorted. */
const selfEntries: Readonly<Record<Routes, readonly string[]>> = {
  "the routes of before": [
    "00:00:00:00:00:00 dst 10.0.7.19 self permanent",
    "00:00:00:00:00:00 dst 10.0.7.20 self permanent",
    "02:00:00:00:00:aa dst 10.0.7.19 self extern_learn permanent",
    "02:00:00:00:00:bb dst 10.0.7.20 self extern_learn permanent",
    "02:00:00:00:00:cc dst 10.0.7.19 self extern_learn permanent",
  ],
  "the routes that were being written": [
    "00:00:00:00:00:00 dst 10.0.7.20 self permanent",
    "00:00:00:00:00:00 dst 10.0.7.21 self permanent",
    "02:00:00:00:00:aa dst 10.0.7.20 self extern_learn permanent",
    "02:00:00:00:00:cc dst 10.0.7.19 self extern_learn permanent",
    "02:00:00:00:00:dd dst 10.0.7.21 self extern_learn permanent",
  ],
  "no route": [],
};

const bridgeEntries: Readonly<Record<Routes, readonly string[]>> = {
  "the routes of before": ["aa", "bb", "cc"].map(bridgeEntry),
  "the routes that were being written": ["aa", "cc", "dd"].map(bridgeEntry),
  "no route": [],
};

function bridgeEntry(last: string): string {
  return `02:00:00:00:00:${last} extern_learn master br240`;
}

/** A node on which an agent is killed while it writes what EVPN routes ask for. */
export class InterruptedForwardingNode {
  private reconciler: RemoteReconciler;

  private constructor(private readonly namespaces: TestNamespaces) {
    this.reconciler = RemoteReconciler.start(namespaces, "n1");
  }

  static async start(): Promise<InterruptedForwardingNode> {
    const node = new InterruptedForwardingNode(await startNode());
    await node.carry();
    return node;
  }

  /** What an undisturbed agent does to the kernel on that way. */
  async undisturbed(device: Device): Promise<readonly string[]> {
    await this.write(device, "the routes of before");
    await this.reconciler.dieAfter(Number.MAX_SAFE_INTEGER);
    await this.write(device, "the routes that were being written");
    return this.reconciler.operations();
  }

  /** Kills the agent after some operations; the next one knows no route at first, then those of the goal. */
  async interrupt(device: Device, after: number, goal: Routes): Promise<void> {
    await this.write(device, "the routes of before");
    await this.reconciler.dieAfter(after);
    await assert.rejects(this.write(device, "the routes that were being written"), /the reconciler ended/);
    await this.reconciler.end();
    const left = await this.entries(device);
    this.reconciler = RemoteReconciler.start(this.namespaces, "n1");
    await this.carry();
    assert.deepEqual(await this.entries(device), left, "what routes made went before the peers told anything");
    await this.write(device, goal);
  }

  async end(): Promise<void> {
    await this.reconciler.end();
    await this.namespaces.end();
  }

  private async carry(): Promise<void> {
    const result = await this.reconciler.reconcile(await this.reconciler.plan(configuration(yaml)));
    for (const { errors } of [result.node, ...result.networks]) assert.deepEqual(errors, []);
  }

  /** Writes them and compares, in a second look too, which finds nothing to do. */
  private async write(device: Device, routes: Routes): Promise<void> {
    const { errors } = await this.reconciler.applyForwarding(device, ROUTES[routes]);
    assert.deepEqual(errors, []);
    const expected = [...selfEntries[routes], ...(device === "vxlan240" ? bridgeEntries[routes] : [])];
    assert.deepEqual(await this.entries(device), expected.sort());
    assert.deepEqual(await this.reconciler.applyForwarding(device, ROUTES[routes]), { done: [], errors: [] });
  }

  /** Without the interface's own address, which the bridge knows. */
  private async entries(device: Device): Promise<readonly string[]> {
    const { stdout } = await this.namespaces.exec("n1", ["bridge", "fdb", "show", "dev", device]);
    return stdout
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => /dst|extern_learn/.test(line))
      .sort();
  }
}
