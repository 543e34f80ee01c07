import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isUnchanged } from "../../agent-image/agent/kernel/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration, startNode } from "./base-node.js";
import { RemoteReconciler } from "./remote-reconciler.js";
import { type WholeKernelState, wholeKernelState } from "./whole-kernel-state.js";

/** What a node is told; without a configuration everything of ours shall go (`vlan-router cleanup`). */
export type Goal = string | "cleanup";

/** A change that is interrupted. */
export interface Transition {
  readonly name: string;
  readonly from: Goal;
  readonly to: Goal;
}

interface First {
  readonly vni?: number;
  readonly port?: number;
  readonly bridge?: boolean;
  readonly prefix?: string;
}

/** VXLAN without BGP, so that its flood list is part of the plan, with a prefix of each family. */
const first = ({ vni = 228, port = 4789, bridge = false, prefix = "203.0.113" }: First = {}): string => `
  - name: first
    type: vxlan
    vxlan: { vni: ${vni}, port: ${port}, nodeNet: 10.0.7.0/24, remotes: [10.0.7.8, 10.0.7.9]${bridge ? ", bridge: true" : ""} }
    routing:
      - { cidr: ${prefix}.0/24, gateway: ${prefix}.1 }
      - { cidr: "2001:db8:1::/64", gateway: "2001:db8:1::1" }`;

/** Never changes. */
const second = `
  - name: second
    type: vxlan
    vxlan: { vni: 240, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }`;

/** Takes the IPv4 prefix of the first over. */
const successor = `
  - name: successor
    type: vxlan
    vxlan: { vni: 250, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.254, replaces: first }`;

const configured = (...networks: readonly string[]): string =>
  `podNetworks: [10.244.0.0/16, "fd00:244::/56"]\nnetworks:${networks.join("")}\n`;

const base = configured(first(), second);

/** Shares names, numbers and prefixes with the others, each in another place. */
const other = configured(first({ vni: 229, port: 4790, prefix: "192.0.2" }), second);

export const TRANSITIONS: readonly Transition[] = [
  { name: "the first apply", from: "cleanup", to: base },
  { name: "another VNI", from: base, to: configured(first({ vni: 229 }), second) },
  { name: "another UDP port", from: base, to: configured(first({ port: 4790 }), second) },
  { name: "another prefix", from: base, to: configured(first({ prefix: "192.0.2" }), second) },
  { name: "the removal of a network", from: base, to: configured(second) },
  { name: "VXLAN to a bridge", from: base, to: configured(first({ bridge: true }), second) },
  { name: "a bridge to VXLAN", from: configured(first({ bridge: true }), second), to: base },
  { name: "a prefix that moves to another network", from: base, to: configured(first(), second, successor) },
  { name: "the clean-up", from: configured(first({ bridge: true }), second), to: "cleanup" },
];

interface Restart {
  readonly name: string;
  goal(interrupted: Transition): Goal;
}

/** What the next start is told. */
export const RESTARTS: readonly Restart[] = [
  { name: "with the same configuration", goal: ({ to }) => to },
  { name: "with the old configuration", goal: ({ from }) => from },
  { name: "with another configuration", goal: () => other },
  { name: "for a clean-up", goal: () => "cleanup" },
];

/** More than enough: one pass changes, the next finds nothing to do. */
const PASSES = 4;
/** Milliseconds in which the kernel has set an interface's operational state, which it does once in a second (link_watch.c). */
const SETTLED_MS = 1_200;

/** One node with what belongs to others, on which changes are interrupted one after the other. */
export class InterruptedNode {
  private readonly expected = new Map<Goal, WholeKernelState>();
  private readonly operations = new Map<Transition, readonly string[]>();
  private reconciler: RemoteReconciler;

  private constructor(private readonly namespaces: TestNamespaces) {
    this.reconciler = RemoteReconciler.start(namespaces, "n1");
  }

  static async start(): Promise<InterruptedNode> {
    const namespaces = await startNode();
    await addForeignObjects(namespaces);
    const node = new InterruptedNode(namespaces);
    node.expected.set("cleanup", await wholeKernelState(namespaces, "n1"));
    return node;
  }

  /** What an undisturbed change does to the kernel. */
  async undisturbed(transition: Transition): Promise<readonly string[]> {
    const known = this.operations.get(transition);
    if (known !== undefined) return known;
    await this.reach(transition.from);
    await this.reconciler.dieAfter(Number.MAX_SAFE_INTEGER);
    await this.carryOut(transition.to);
    const operations = await this.reconciler.operations();
    this.operations.set(transition, operations);
    await this.reach("cleanup");
    return operations;
  }

  /** Kills the process after some operations of a change, starts another one, and compares what comes of it. */
  async interrupt(transition: Transition, after: number, goal: Goal): Promise<void> {
    await this.stateOf(goal);
    // Without a second look, here and in the end: this is done a thousand times, and the next comparison would tell.
    await this.carryOut(transition.from);
    await this.reconciler.dieAfter(after);
    await assert.rejects(this.carryOut(transition.to), /the reconciler ended/);
    await this.reconciler.end();
    this.reconciler = RemoteReconciler.start(this.namespaces, "n1");
    await this.reach(goal);
    await this.compare(goal);
    await this.carryOut("cleanup");
  }

  /** What belongs to others is as it was before the first change. */
  async isUntouched(): Promise<void> {
    await this.reach("cleanup");
    await this.compare("cleanup");
  }

  async end(): Promise<void> {
    await this.reconciler.end();
    await this.namespaces.end();
  }

  /** What stands when nobody interrupts, from nothing. */
  private async stateOf(goal: Goal): Promise<void> {
    if (this.expected.has(goal)) return;
    await this.reach(goal);
    await sleep(SETTLED_MS);
    this.expected.set(goal, await wholeKernelState(this.namespaces, "n1"));
    await this.reach("cleanup");
  }

  private async compare(goal: Goal): Promise<void> {
    const deadline = performance.now() + 3 * SETTLED_MS;
    for (;;) {
      const found = await wholeKernelState(this.namespaces, "n1");
      try {
        assert.deepEqual(found, this.expected.get(goal));
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }

  /** As the agent does it: plans from what it finds, applies, and looks again until there is nothing to do. */
  private async reach(goal: Goal): Promise<void> {
    for (let pass = 0; pass < PASSES; pass++) {
      if (await this.carryOut(goal)) return;
    }
    assert.fail(`there is still something to do after ${PASSES} passes`);
  }

  /** One pass. Returns whether nothing was to be done. */
  private async carryOut(goal: Goal): Promise<boolean> {
    if (goal === "cleanup") {
      const { done, errors } = await this.reconciler.cleanUp();
      assert.deepEqual(errors, []);
      return done.length === 0;
    }
    const plan = await this.reconciler.plan(configuration(goal));
    assert.deepEqual(plan.unplanned, []);
    const result = await this.reconciler.reconcile(plan);
    for (const { errors } of [result.node, ...result.networks]) assert.deepEqual(errors, []);
    for (const { conflicts } of result.networks) assert.deepEqual(conflicts, []);
    return isUnchanged(result);
  }
}

/** Objects that look like ours in one thing or another and are not. */
async function addForeignObjects(namespaces: TestNamespaces): Promise<void> {
  await namespaces.ip(
    "n1",
    "link add name vxlan999 type vxlan id 999 dstport 4799 local 10.0.7.5",
    "link set dev vxlan999 up",
    "link add name br999 type bridge",
    "link set dev br999 alias uplink",
    "link add name v0 type veth peer name v1",
    "link set dev v0 group 118",
    "address add 172.16.9.1/24 dev v0",
    "link set dev v0 up",
    "link set dev v1 up",
    "route add 203.0.113.128/25 via 10.0.7.9 table 99 protocol static",
    "rule add priority 2999 from 172.16.9.66/32 lookup 99 protocol static",
  );
  await namespaces.nft("n1", "table inet others { chain c { type filter hook input priority 10; accept; }; }\n");
}
