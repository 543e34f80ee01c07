import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { BridgedHost } from "../../../../agent-image/agent/addresses/bridged-hosts.js";
import type { OwnedAddress } from "../../../../agent-image/agent/addresses/owned-addresses.js";
import type { Announcement } from "../../../../agent-image/agent/announce/schedule.js";
import { Agent } from "../../../../agent-image/agent/core/agent.js";
import type { CarriedNetwork } from "../../../../agent-image/agent/core/carried-network.js";
import type { Desired } from "../../../../agent-image/agent/core/ports.js";
import type { ForwardingNews } from "../../../../agent-image/agent/evpn/evpn-speaker.js";
import type { ForwardingState } from "../../../../agent-image/agent/evpn/forwarding-state.js";
import type { ReconcileResult } from "../../../../agent-image/agent/kernel/index.js";
import {
  type Condition,
  type NodeFacts,
  type NodePlan,
  networkRevision,
  networkSpec,
  type PlanCondition,
  parseConfigurationFile,
  type RouterNodeStatus,
} from "../../../../model/index.js";

const podNetworks = ["10.244.0.0/16"];

/** Networks as a file would give them. */
function carried(...yaml: readonly string[]): readonly CarriedNetwork[] {
  const parsed = parseConfigurationFile(
    `podNetworks: [10.244.0.0/16]\nnetworks:\n${yaml.map((one) => `  - ${one}\n`).join("")}`,
  );
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.value.networks.map((network) => {
    const spec = networkSpec(network);
    const data = { network: network.name, uid: network.name, spec, podNetworks };
    return { name: network.name, uid: network.name, revision: networkRevision(data), spec, podNetworks };
  });
}

const vxlan228 =
  "{type: vxlan, vxlan: {vni: 228, nodeNet: 10.0.7.0/24, bgp: {myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19]}}, " +
  "routing: {cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true}}";
const vxlan240 = vxlan228.replace("228", "240").replaceAll("203.0.113", "198.51.100");

/** A node whose kernel does what it is told, and a world that notes the order of what happens to it. */
class World {
  readonly events: string[] = [];
  readonly statuses: RouterNodeStatus[] = [];
  desired: Desired | undefined;
  kept: readonly CarriedNetwork[] | undefined;
  speakerRefuses: string | undefined;
  refusals: ReadonlyMap<string, PlanCondition> = new Map();
  routeFindings: ReadonlyMap<string, readonly PlanCondition[]> = new Map();
  owned: readonly OwnedAddress[] = [];
  announced: readonly Announcement[] = [];
  gateways: readonly string[] = [];
  hosts: readonly BridgedHost[] = [];
  contested: readonly string[] = [];
  flowsStay = false;
  gatewayNotices: ReadonlyMap<string, readonly PlanCondition[]> = new Map();
  forwarding: ForwardingState | undefined;
  nodeErrors: readonly string[] = [];
  stays: ReconcileResult["stays"] = [];
  isLinkNew = false;
  kernelFails = false;
  diskFull = false;
  lastGoodFails = false;
  statusFails = false;
  addressesFail = false;
  readonly rejectionsKept: number[] = [];
  readonly logged: string[] = [];
  plan: NodePlan = { networks: [], unplanned: [] };
  news: ForwardingNews | undefined;
  kernelKnowsRoutes = true;

  facts(): NodeFacts {
    const underlay = { device: "eth0", family: 4, address: "10.0.7.11", prefixLength: 24 } as const;
    return {
      nodeName: "n1",
      labels: {},
      links: [
        { name: "eth0", mtu: 1600, up: true },
        ...this.plan.networks.map(({ link }) => ({
          name: link.name,
          kind: link.kind,
          ...("alias" in link ? { alias: link.alias } : {}),
          mtu: link.mtu,
          up: true,
          ...(link.kind === "vxlan" ? { mac: link.mac, local: link.local } : {}),
        })),
      ],
      addresses: [{ ...underlay, secondary: false, deprecated: false, tentative: false }],
      marks: [],
      rpFilterAll: 0,
      localRulePriority: 0,
    };
  }

  reconcile(plan: NodePlan): ReconcileResult {
    this.events.push(`kernel ${plan.networks.map(({ network }) => network).join(" ")}`.trim());
    const isNew = JSON.stringify(plan) !== JSON.stringify(this.plan);
    this.plan = plan;
    const outcome = { applied: isNew ? ["something"] : [], repaired: [], errors: [] };
    return {
      facts: this.facts(),
      stays: this.stays,
      node: { applied: [], repaired: [], errors: this.nodeErrors },
      networks: plan.networks.map(({ network }) => ({
        network,
        isLinkNew: this.isLinkNew,
        ...outcome,
        conflicts: [],
      })),
    };
  }

  agent(): Agent {
    return new Agent(
      {
        source: {
          desired: () => this.desired,
          carried: () => this.kept,
          applied: async (networks) => {
            if (this.lastGoodFails)
              throw new Error("/state/last-good.json cannot be written: EROFS: read-only file system");
            this.kept = networks;
            this.events.push(`kept ${networks.map(({ name }) => name).join(" ")}`.trim());
          },
        },
        kernel: {
          facts: async () => {
            if (this.kernelFails) {
              throw new Error("ip: not found");
            }
            return this.facts();
          },
          reconcile: async (plan) => this.reconcile(plan),
          applyForwarding: async (device, { flood }) => {
            this.events.push(`forwarding ${device} ${flood.join(" ")}`);
            return { done: [], errors: [] };
          },
          changeForwarding: (device, { hosts }) => {
            if (!this.kernelKnowsRoutes) return undefined;
            this.events.push(`changed ${device} ${hosts.map(({ mac, vtep }) => `${mac} ${vtep}`).join(" ")}`);
            return Promise.resolve({ done: [], errors: [] });
          },
          releaseHost: async (device, mac) => {
            this.events.push(`released ${mac} ${device}`);
            return { done: [], errors: [] };
          },
          arpIgnore: () => 0,
          forgetFlows: async (addresses) => {
            this.events.push(`forgotten ${addresses.join(" ")}`);
            if (this.flowsStay) throw new Error("conntrack is not installed or not on PATH");
          },
        },
        gobgp: { setNetworks: () => undefined, notices: () => new Map() },
        speaker: {
          setNetworks: async (networks) => {
            if (this.speakerRefuses !== undefined && networks.length > 0) {
              throw new Error(this.speakerRefuses);
            }
            this.events.push(`speaker ${networks.map(({ network }) => network).join(" ")}`.trim());
          },
          refusals: () => this.refusals,
          notices: () => this.routeFindings,
          setAddresses: (network, addresses) => {
            this.events.push(`addresses ${network} ${addresses.join(" ")}`.trim());
          },
          setHosts: (network, hosts) => {
            if (hosts.length === 0) return;
            this.events.push(
              `hosts ${network} ${hosts.map(({ mac, addresses }) => [mac, ...addresses].join(" ")).join(", ")}`,
            );
          },
          contested: () => this.contested,
          announced: async () => {
            this.events.push("announced");
          },
          initialStateKnown: () => {
            this.events.push("initial state known");
          },
          nothingToKeep: (network) => {
            this.events.push(`nothing to keep of ${network}`);
          },
          sessions: () => [],
          forwarding: () => this.forwarding,
          takeForwarding: () => this.news,
        },
        addresses: {
          owned: () => {
            if (this.addressesFail) throw new Error("claims cannot be read");
            return { owned: this.owned, confirmed: true, repeated: false, complete: true, notices: new Map() };
          },
        },
        announcer: {
          set: (announcements) => {
            this.announced = announcements;
          },
          hasten: (device, addresses) => {
            this.events.push(`hastened ${device} ${addresses.join(" ")}`);
          },
        },
        gateways: {
          set: (targets) => {
            this.gateways = targets.map(({ device, gateway, sender }) => `${gateway} ${device} ${sender}`);
          },
          learn: (network, neighbour) => {
            this.events.push(`learnt ${network} ${neighbour("203.0.113.1")}`);
          },
          notices: () => this.gatewayNotices,
        },
        hosts: {
          set: () => undefined,
          hosts: () => this.hosts,
          complete: true,
          moved: (network, mac) => {
            this.events.push(`moved ${network} ${mac}`);
          },
          notices: () => new Map(),
        },
        // Nothing answers before a change, so nothing can be lost by it.
        probes: { ofNode: [], patience: 1_000, run: async () => false },
        rejections: {
          list: () => [],
          keep: async (list) => {
            if (this.diskFull)
              throw new Error("/state/rejections.json cannot be written: ENOSPC: no space left on device");
            this.rejectionsKept.push(list.length);
          },
        },
        report: async (status) => {
          if (this.statusFails) throw new Error("/run/status.json cannot be written: ENOSPC: no space left on device");
          this.statuses.push(status);
        },
        log: {
          info: () => undefined,
          warn: (fields, message) => this.logged.push(`${message}: ${(fields as { error?: string }).error ?? "well"}`),
          error: () => undefined,
        },
      },
      { version: "0.1.0", image: "" },
    );
  }
}

let running: Agent | undefined;
afterEach(() => running?.close());

/** Starts an agent in a world and lets it come to rest. */
async function settle(world: World): Promise<Agent> {
  running = world.agent();
  running.kernelChanged();
  await rest();
  return running;
}

/** Longer than the loop gathers bursts. */
const rest = (): Promise<void> => sleep(80);

test("without a configuration nothing is touched", async () => {
  const world = new World();
  await settle(world);
  assert.deepEqual(world.events, []);
  assert.deepEqual(world.statuses, []);
});

test("a new network: the interface first, then its routes to the peers, then the report", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.owned = [{ network: "vxlan228", address: "203.0.113.20", source: { kind: "interface", device: "lo" } }];
  await settle(world);
  assert.deepEqual(world.events, [
    "speaker",
    "kernel vxlan228",
    "speaker vxlan228",
    "addresses vxlan228 203.0.113.20",
    "initial state known",
    "kept vxlan228",
  ]);
  assert.deepEqual(world.announced, [
    {
      device: "vxlan228",
      mac: world.facts().links[1]?.mac,
      family: 4,
      address: "203.0.113.20",
      gateway: "203.0.113.1",
      interval: 60,
      periodic: true,
      repeated: false,
    },
  ]);
  const [network] = world.statuses.at(-1)?.networks ?? [];
  assert.deepEqual(
    [network?.name, network?.revision, network?.addresses],
    ["vxlan228", world.desired.networks[0]?.revision, ["203.0.113.20"]],
  );
});

test("an interface that was just made: the speaker, which has the network then, need not wait for whole tables", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.isLinkNew = true;
  await settle(world);
  assert.deepEqual(world.events.slice(0, 4), [
    "speaker",
    "kernel vxlan228",
    "speaker vxlan228",
    "nothing to keep of vxlan228",
  ]);
});

test("an address that is pinned to the node no more: its route is withdrawn, then it leaves the interface", async () => {
  const pin = (...addresses: readonly string[]) =>
    vxlan228.replace(
      "arpAnnouncer: true",
      `arpAnnouncer: true, staticAddresses: [${addresses.map((address) => `{address: ${address}, node: n1}`).join(", ")}]`,
    );
  const own = (address: string): OwnedAddress => ({ network: "vxlan228", address, source: { kind: "static" } });
  const world = new World();
  world.desired = { networks: carried(pin("203.0.113.20", "203.0.113.21")) };
  world.owned = [own("203.0.113.20"), own("203.0.113.21")];
  const agent = await settle(world);
  world.events.length = 0;
  world.desired = { networks: carried(pin("203.0.113.21")) };
  agent.inputChanged();
  await rest();
  assert.deepEqual(world.events.slice(0, 4), [
    "speaker vxlan228",
    "addresses vxlan228 203.0.113.21",
    "announced",
    "kernel vxlan228",
  ]);
  // The same where nothing is pinned any more; what the node holds by other means stays.
  world.owned = [own("203.0.113.21"), { ...own("203.0.113.30"), source: { kind: "interface", device: "lo" } }];
  agent.inputChanged();
  await rest();
  world.events.length = 0;
  world.desired = { networks: carried(vxlan228) };
  agent.inputChanged();
  await rest();
  assert.deepEqual(world.events.slice(0, 4), [
    "speaker vxlan228",
    "addresses vxlan228 203.0.113.30",
    "announced",
    "kernel vxlan228",
  ]);
});

test("machines behind the bridge are told to the speaker with their own MACs, without addresses that the node answers for", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.owned = [{ network: "vxlan228", address: "203.0.113.20", source: { kind: "interface", device: "lo" } }];
  world.hosts = [{ mac: "02:00:00:00:00:50", port: "tap0", addresses: ["203.0.113.20", "203.0.113.50"] }];
  const agent = await settle(world);
  assert.ok(world.events.includes("hosts vxlan228 02:00:00:00:00:50 203.0.113.50"), world.events.join("; "));
  world.events.length = 0;
  agent.hostMoved("vxlan228", "02:00:00:00:00:50");
  agent.hostMoved("vxlan999", "02:00:00:00:00:50");
  await rest();
  assert.deepEqual(world.events.slice(0, 2), [
    "released 02:00:00:00:00:50 vxlan228",
    "moved vxlan228 02:00:00:00:00:50",
  ]);
});

test("flows to an address that moves away are forgotten, and where that fails the address moves all the same", async () => {
  const at = (address: string): OwnedAddress => ({
    network: "vxlan228",
    address,
    source: { kind: "interface", device: "lo" },
  });
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.owned = [at("203.0.113.20"), at("203.0.113.21")];
  const agent = await settle(world);
  for (const flowsStay of [false, true]) {
    world.flowsStay = flowsStay;
    world.owned = world.owned.slice(1);
    world.events.length = 0;
    agent.inputChanged();
    await rest();
    const left = world.owned.map(({ address }) => address).join(" ");
    assert.deepEqual(world.events.slice(0, 2), [
      `addresses vxlan228 ${left}`.trim(),
      `forgotten 203.0.113.${flowsStay ? 21 : 20}`,
    ]);
  }
  assert.deepEqual(world.statuses.at(-1)?.networks[0]?.addresses, []);
});

test("the gateway is asked for as an owned address, and one that is silent is told", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.owned = [{ network: "vxlan228", address: "203.0.113.20", source: { kind: "interface", device: "lo" } }];
  world.gatewayNotices = new Map([
    ["vxlan228", [{ reason: "GatewaySilent", message: "203.0.113.1 has not answered" }]],
  ]);
  await settle(world);
  assert.deepEqual(world.gateways, ["203.0.113.1 vxlan228 203.0.113.20"]);
  const conditions = world.statuses.at(-1)?.networks[0]?.conditions ?? [];
  assert.equal(conditions.find(({ type }) => type === "GatewaySilent")?.message, "203.0.113.1 has not answered");
});

test("E6: a network that goes is withdrawn from the peers before the kernel lets go of its routes", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228, vxlan240) };
  const agent = await settle(world);
  world.events.length = 0;
  world.desired = { networks: carried(vxlan240) };
  agent.inputChanged();
  await rest();
  assert.deepEqual(world.events.slice(0, 3), ["speaker vxlan240", "kernel vxlan240", "speaker vxlan240"]);
});

test("a takeover does not wait for the kernel", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  const agent = await settle(world);
  world.events.length = 0;
  world.owned = [
    { network: "vxlan228", address: "203.0.113.10", source: { kind: "metallb", service: "a/b", elsewhere: false } },
  ];
  agent.inputChanged();
  await rest();
  assert.deepEqual(world.events, ["addresses vxlan228 203.0.113.10", "kept vxlan228"]);
  assert.equal(world.announced.length, 1);
});

test("a network of which something resists stays in the status as being removed", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  const agent = await settle(world);
  world.desired = { networks: [] };
  world.nodeErrors = ["ip link del dev vxlan228: Device or resource busy"];
  agent.inputChanged();
  await rest();
  const [leftover] = world.statuses.at(-1)?.networks ?? [];
  assert.deepEqual(
    leftover?.conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      [
        "Applied",
        "False",
        "Removing",
        "ip link del dev vxlan228: Device or resource busy; tried again when something changes, and every 5 s",
      ],
    ],
  );
  world.nodeErrors = [];
  agent.kernelChanged();
  await rest();
  assert.deepEqual(world.statuses.at(-1)?.networks, []);
});

describe("what is ours and cannot go is told where it belongs, and fails no network", () => {
  const bridgeInUse = { reason: "BridgeInUse", message: "bridge br240 stays; take tap0 off" };
  const unknownRule = { reason: "UnknownRule", message: "IPv4 rule at priority 99" };
  const told = (conditions: readonly Condition[] = []) =>
    conditions
      .filter(({ type }) => type !== "SessionsEstablished")
      .map(({ type, status, reason, message }) => [type, status, reason, message]);
  const both = carried(vxlan228, vxlan240);
  const applied = (index: number) => [
    "Applied",
    "True",
    "Applied",
    `revision ${both[index]?.revision} stands in the kernel`,
  ];
  const started = async () => {
    const world = new World();
    world.desired = { networks: both };
    return { world, agent: await settle(world) };
  };
  const last = (world: World) => {
    const status = world.statuses.at(-1);
    return { node: told(status?.conditions), networks: status?.networks.map(({ conditions }) => told(conditions)) };
  };

  test("of a network that goes: at that network, which stays in the status until it has gone", async () => {
    const { world, agent } = await started();
    world.desired = { networks: both.slice(0, 1) };
    world.stays = [{ ...bridgeInUse, network: "vxlan240" }];
    agent.inputChanged();
    await rest();
    assert.deepEqual(last(world), {
      node: [],
      networks: [[applied(0)], [["Applied", "False", "Removing", "bridge br240 stays; take tap0 off"]]],
    });
    world.stays = [];
    agent.kernelChanged();
    await rest();
    assert.deepEqual(last(world), { node: [], networks: [[applied(0)]] });
  });

  test("of a network that stays: at that network alone", async () => {
    const { world, agent } = await started();
    world.stays = [{ ...bridgeInUse, network: "vxlan240" }];
    agent.kernelChanged();
    await rest();
    assert.deepEqual(last(world), {
      node: [],
      networks: [
        [applied(0)],
        [applied(1), ["BridgeInUse", "True", "BridgeInUse", "bridge br240 stays; take tap0 off"]],
      ],
    });
  });

  test("of none that is known here: at the node, each reason once, and no removal waits for it", async () => {
    const { world, agent } = await started();
    world.desired = { networks: both.slice(0, 1) };
    world.stays = [
      unknownRule,
      { ...unknownRule, message: "IPv4 rule at priority 98" },
      { ...bridgeInUse, network: "old" },
    ];
    agent.inputChanged();
    await rest();
    assert.deepEqual(last(world), {
      node: [
        ["BridgeInUse", "True", "BridgeInUse", "bridge br240 stays; take tap0 off"],
        ["UnknownRule", "True", "UnknownRule", "IPv4 rule at priority 99; IPv4 rule at priority 98"],
      ],
      networks: [[applied(0)]],
    });
    const since = world.statuses.at(-1)?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime);
    agent.kernelChanged();
    await rest();
    assert.deepEqual(
      world.statuses.at(-1)?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime),
      since,
    );
    world.stays = [];
    agent.kernelChanged();
    await rest();
    assert.deepEqual(last(world), { node: [], networks: [[applied(0)]] });
    assert.equal("conditions" in (world.statuses.at(-1) ?? {}), false);
  });
});

test("of two networks that clash the one that is carried stays; the other says why", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan240) };
  const agent = await settle(world);
  const clashing = carried(vxlan228).map((network) => ({
    ...network,
    spec: { ...network.spec, routing: network.spec.routing.map((routing) => ({ ...routing, table: 240 })) },
  }));
  world.desired = { networks: [...clashing, ...world.desired.networks] };
  agent.inputChanged();
  await rest();
  const states = world.statuses
    .at(-1)
    ?.networks.map(({ name, conditions }) => [name, conditions.find(({ type }) => type === "Applied")?.reason]);
  assert.deepEqual(states, [
    ["vxlan228", "TableClash"],
    ["vxlan240", "Applied"],
  ]);
  assert.deepEqual(
    world.plan.networks.map(({ network }) => network),
    ["vxlan240"],
  );
});

test("a revision that takes another network's table leaves both as they were, also for a new process", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228, vxlan240) };
  await (await settle(world)).close();
  const before = world.plan;
  const [first, second] = world.desired.networks as [CarriedNetwork, CarriedNetwork];
  const routing = first.spec.routing.map((entry) => ({ ...entry, table: 240 }));
  world.desired = { networks: [{ ...first, revision: "bad", spec: { ...first.spec, routing } }, second] };
  await settle(world);
  assert.deepEqual(world.plan, before);
  assert.deepEqual(world.kept, [first, second]);
  const [refused, other] = world.statuses.at(-1)?.networks ?? [];
  assert.deepEqual(
    [refused, other].map((network) => [
      network?.revision,
      network?.conditions.find(({ type }) => type === "Applied")?.reason,
    ]),
    [
      [first.revision, "TableClash"],
      [second.revision, "Applied"],
    ],
  );
});

test("what the speaker refuses is a condition; the kernel and the report go on", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.speakerRefuses = "networks differ in bgp.holdTime";
  await settle(world);
  assert.deepEqual(world.events, ["speaker", "kernel vxlan228", "initial state known", "kept vxlan228"]);
  const conditions = world.statuses.at(-1)?.networks[0]?.conditions ?? [];
  assert.equal(conditions.find(({ type }) => type === "SpeakerRefused")?.message, "networks differ in bgp.holdTime");
});

test("a network that the speaker leaves out says so in a condition of its own, and the others do not", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  const refusal = { reason: "SessionParametersDiffer", message: "networks differ in bgp.holdTime" };
  world.refusals = new Map([["vxlan228", refusal]]);
  const agent = await settle(world);
  const refused = (): string | undefined =>
    world.statuses.at(-1)?.networks[0]?.conditions.find(({ type }) => type === "SessionParametersDiffer")?.message;
  assert.equal(refused(), "networks differ in bgp.holdTime");
  world.refusals = new Map([["other", refusal]]);
  agent.kernelChanged();
  await rest();
  assert.equal(refused(), undefined);
});

test("what is wrong with the routes of a network is a condition of it", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.routeFindings = new Map([["vxlan228", [{ reason: "NoRouteMatches", message: "seen: 65000:228" }]]]);
  await settle(world);
  const conditions = world.statuses.at(-1)?.networks[0]?.conditions ?? [];
  assert.equal(conditions.find(({ type }) => type === "NoRouteMatches")?.message, "seen: 65000:228");
});

test("forwarding entries follow the routes, but only after a peer has sent all of them", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  const agent = await settle(world);
  world.events.length = 0;
  await agent.forwardingChanged("vxlan228");
  assert.deepEqual(world.events, []);
  const state = { flood: ["10.0.7.12"], hosts: [], neighbours: [] };
  const neighbour = () => "02:00:00:00:02:fe";
  world.news = { kind: "whole", state, neighbour };
  await agent.forwardingChanged("vxlan228");
  assert.deepEqual(world.events, ["learnt vxlan228 02:00:00:00:02:fe", "forwarding vxlan228 10.0.7.12"]);

  world.events.length = 0;
  world.forwarding = state;
  const hosts = [{ mac: "02:00:00:00:00:01", vtep: "10.0.7.12" }];
  world.news = { kind: "changes", changes: { flood: [], hosts }, neighbour };
  await agent.forwardingChanged("vxlan228");
  world.kernelKnowsRoutes = false;
  await agent.forwardingChanged("vxlan228");
  assert.deepEqual(world.events, [
    "learnt vxlan228 02:00:00:00:02:fe",
    "changed vxlan228 02:00:00:00:00:01 10.0.7.12",
    "learnt vxlan228 02:00:00:00:02:fe",
    "forwarding vxlan228 10.0.7.12",
  ]);
});

test("an address is announced anew when another node gives it up: a gateway may have heard that one last", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  const agent = await settle(world);
  world.news = { kind: "changes", changes: { flood: [], hosts: [] }, neighbour: () => undefined };
  const hastened = async (...contested: readonly string[]) => {
    world.events.length = 0;
    world.contested = contested;
    await agent.forwardingChanged("vxlan228");
    return world.events.filter((event) => event.startsWith("hastened"));
  };
  assert.deepEqual(await hastened(), []);
  assert.deepEqual(await hastened("203.0.113.20", "203.0.113.21"), []);
  assert.deepEqual(await hastened("203.0.113.21"), ["hastened vxlan228 203.0.113.20"]);
  assert.deepEqual(await hastened("203.0.113.21"), []);
});

test("what the routes said before the interface was there is carried with it", async () => {
  const world = new World();
  const agent = await settle(world);
  world.news = {
    kind: "whole",
    state: { flood: ["10.0.7.12"], hosts: [] },
    neighbour: () => undefined,
  };
  await agent.forwardingChanged("vxlan228");
  assert.deepEqual(
    world.events.filter((event) => event.startsWith("forwarding")),
    [],
  );
  world.desired = { networks: carried(vxlan228) };
  agent.inputChanged();
  await rest();
  assert.ok(world.events.includes("forwarding vxlan228 10.0.7.12"), world.events.join("; "));
});

test("a network that cannot be planned for a while keeps its routes at the peers", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  const agent = await settle(world);
  world.events.length = 0;
  const { facts } = world;
  world.facts = () => ({ ...facts.call(world), addresses: [] });
  agent.kernelChanged();
  await rest();
  assert.deepEqual(world.events.slice(0, 4), ["kernel vxlan228", "speaker vxlan228", "kernel", "speaker vxlan228"]);
});

test("a change in the kernel is put right before anything else, and nothing is done twice", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  const agent = await settle(world);
  world.events.length = 0;
  agent.kernelChanged();
  await rest();
  assert.deepEqual(world.events, ["kernel vxlan228", "speaker vxlan228", "addresses vxlan228", "kept vxlan228"]);
});

test("a kernel that cannot be read changes nothing, and is read again when asked", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.kernelFails = true;
  const agent = await settle(world);
  assert.deepEqual(world.events, []);
  world.kernelFails = false;
  agent.kernelChanged();
  await rest();
  assert.equal(world.events[1], "kernel vxlan228");
});

test("what a predecessor left on trial goes back to what was confirmed before it is asked and tried", async () => {
  const world = new World();
  world.kept = carried(vxlan228);
  world.desired = { networks: carried(vxlan228, vxlan240) };
  await settle(world);
  assert.deepEqual(world.events.filter((event) => event.startsWith("kernel")).slice(0, 1), ["kernel vxlan228"]);
});

test("state that is not kept is told, and told no more when it is", async () => {
  const world = new World();
  world.desired = { networks: carried(vxlan228) };
  world.diskFull = true;
  const agent = await settle(world);
  const conditions = () => world.statuses.at(-1)?.networks[0]?.conditions ?? [];
  const told = () => conditions().find(({ type }) => type === "StateNotKept")?.message;
  assert.equal(
    told(),
    "/state/rejections.json cannot be written: ENOSPC: no space left on device; make room on that file system or make it " +
      "writable; until then a restart without the API server or file starts from an older configuration",
  );
  assert.equal(conditions().find(({ type }) => type === "Applied")?.status, "True");
  world.diskFull = false;
  agent.kernelChanged();
  await rest();
  assert.equal(told(), undefined);
});

describe("what a restart needs is kept, whatever else cannot be written", () => {
  test("the status: told once in the log, reported again when it can be, and nothing is stopped by it", async () => {
    const world = new World();
    world.desired = { networks: carried(vxlan228) };
    world.statusFails = true;
    const agent = await settle(world);
    assert.deepEqual(
      world.kept?.map(({ name }) => name),
      ["vxlan228"],
    );
    assert.deepEqual(world.rejectionsKept, [0]);
    world.desired = { networks: carried(vxlan228, vxlan240) };
    agent.inputChanged();
    await rest();
    assert.deepEqual(
      world.kept?.map(({ name }) => name),
      ["vxlan228", "vxlan240"],
    );
    const failed =
      "the status is reported again, or not any more: /run/status.json cannot be written: ENOSPC: no space left on device";
    assert.deepEqual(world.logged, [failed]);
    world.statusFails = false;
    agent.kernelChanged();
    await rest();
    assert.deepEqual(world.logged, [failed, "the status is reported again, or not any more: well"]);
    assert.deepEqual(
      world.statuses.at(-1)?.networks.map(({ name }) => name),
      ["vxlan228", "vxlan240"],
    );
  });

  test("the last good configuration: what was taken back is kept all the same", async () => {
    const world = new World();
    world.desired = { networks: carried(vxlan228) };
    world.lastGoodFails = true;
    await settle(world);
    assert.deepEqual(world.rejectionsKept, [0, 0]);
  });

  test("what was taken back: the last good configuration is kept all the same", async () => {
    const world = new World();
    world.desired = { networks: carried(vxlan228) };
    world.diskFull = true;
    await settle(world);
    assert.ok(world.events.includes("kept vxlan228"));
  });

  test("the addresses cannot be followed: what the kernel carries is kept all the same", async () => {
    const world = new World();
    world.desired = { networks: carried(vxlan228) };
    world.addressesFail = true;
    await settle(world);
    assert.deepEqual(world.events, ["speaker", "kernel vxlan228", "speaker vxlan228", "kept vxlan228"]);
  });
});

describe("a pass that fails is told", () => {
  const message = "ip: not found; tried again when something changes, and every 5 s";
  const states = (conditions: readonly Condition[] | undefined) =>
    conditions?.map(({ type, status, reason }) => [type, status, reason]);
  const last = (world: World) => {
    const status = world.statuses.at(-1);
    return {
      node: states(status?.conditions),
      networks: status?.networks.map(({ name, conditions }) => [name, ...(states(conditions) ?? [])]),
    };
  };
  const sessions = ["SessionsEstablished", "False", "NoneEstablished"];

  test("of the node and of each network, until the next one is good; what was seen before stays", async () => {
    const world = new World();
    world.desired = { networks: carried(vxlan228) };
    const agent = await settle(world);
    const { networks: good, foreign } = world.statuses.at(-1) ?? {};
    world.kernelFails = true;
    world.desired = { networks: carried(vxlan228, vxlan240) };
    agent.inputChanged();
    await rest();
    assert.deepEqual(last(world), {
      node: [["PassFailed", "True", "PassFailed"]],
      networks: [
        ["vxlan228", ["Applied", "Unknown", "PassFailed"], sessions],
        ["vxlan240", ["Applied", "Unknown", "PassFailed"]],
      ],
    });
    const failed = world.statuses.at(-1);
    assert.equal(failed?.conditions?.[0]?.message, message);
    assert.deepEqual(
      failed?.networks.map(({ conditions }) => conditions[0]?.message),
      [message, message],
    );
    assert.deepEqual({ ...failed?.networks[0], conditions: [] }, { ...good?.[0], conditions: [] });
    assert.deepEqual(failed?.foreign, foreign);
    world.kernelFails = false;
    agent.kernelChanged();
    await rest();
    assert.deepEqual(last(world), {
      node: undefined,
      networks: [
        ["vxlan228", ["Applied", "True", "Applied"], sessions],
        ["vxlan240", ["Applied", "True", "Applied"], sessions],
      ],
    });
  });

  test("before anything was seen: with all that may be on the node, what is to go included", async () => {
    const world = new World();
    world.kernelFails = true;
    world.kept = carried(vxlan240);
    world.desired = { networks: carried(vxlan228) };
    await settle(world);
    assert.deepEqual(last(world), {
      node: [["PassFailed", "True", "PassFailed"]],
      networks: [
        ["vxlan228", ["Applied", "Unknown", "PassFailed"]],
        ["vxlan240", ["Applied", "Unknown", "PassFailed"]],
      ],
    });
    assert.deepEqual(
      world.statuses.at(-1)?.networks.map(({ revision, interface: device }) => [revision, device]),
      [
        ["", { name: "", state: "missing" }],
        ["", { name: "", state: "missing" }],
      ],
    );
  });

  test("and is not forgotten over a pass that would not have looked at the kernel", async () => {
    const world = new World();
    world.desired = { networks: carried(vxlan228) };
    const agent = await settle(world);
    const read = world.reconcile.bind(world);
    world.reconcile = () => {
      throw new Error("ip: not found");
    };
    agent.kernelChanged();
    await rest();
    agent.inputChanged();
    await rest();
    assert.deepEqual(last(world).networks, [["vxlan228", ["Applied", "Unknown", "PassFailed"], sessions]]);
    world.reconcile = read;
    agent.inputChanged();
    await rest();
    assert.deepEqual(last(world).networks, [["vxlan228", ["Applied", "True", "Applied"], sessions]]);
  });

  test("with a bounded message", async () => {
    const world = new World();
    world.desired = { networks: carried(vxlan228) };
    world.reconcile = () => {
      throw new Error("x".repeat(100_000));
    };
    await settle(world);
    const told = world.statuses.at(-1)?.networks[0]?.conditions[0]?.message ?? "";
    assert.match(told, /^x{2000} … /);
    assert.ok(told.length <= 2_048, `${told.length} characters`);
  });
});
