import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { seed } from "../support/seed.js";
import { startNode } from "./base-node.js";
import { kernelState } from "./kernel-state.js";

/** What iproute2 prints for the network's rules; priorities and protocol number as the design fixes them. */
const rulesOf228 = [
  "3000:\tfrom 203.0.113.0/24 to 10.244.0.0/16 lookup main proto 118",
  "3000:\tfrom 203.0.113.0/24 to 10.96.0.0/16 lookup main proto 118",
  "4016:\tfrom 203.0.113.0/24 lookup 228 proto 118",
  "4017:\tfrom 203.0.113.0/24 unreachable proto 118",
];

const stands = (networks: ReadonlyMap<string, NetworkStatus>): boolean =>
  (networks.get("vxlan228")?.conditions ?? []).some(({ type, status }) => type === "Applied" && status === "True");

describe("vlan-router agent --config FILE, without Kubernetes", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;
  let stateBefore: Awaited<ReturnType<typeof kernelState>>;

  const output = async (command: string): Promise<string> => (await node.exec("n1", command.split(" "))).stdout;
  const rules = async (): Promise<string[]> => (await output("ip rule")).split("\n").map((line) => line.trimEnd());
  const missingRules = async (): Promise<string[]> => {
    const present = await rules();
    return rulesOf228.filter((rule) => !present.includes(rule));
  };

  before(async () => {
    node = await startNode();
    await node.ip("n1", "address add 203.0.113.20/32 dev lo");
    stateBefore = await kernelState(node, "n1");
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", seed);
    agent.start();
    await agent.until("the plan stands", stands);
  });
  after(async () => {
    await agent.end();
    await node.end();
  });

  it("carries the VXLAN network: interface, table and rules", async () => {
    const [link] = JSON.parse(await output("ip -d -j link show dev vxlan228")) as [
      { ifalias: string; linkinfo: { info_data: { id: number; local: string; port: number; learning: boolean } } },
    ];
    assert.equal(link.ifalias, "vlan-router:vxlan228");
    const { id, local, port, learning } = link.linkinfo.info_data;
    assert.deepEqual({ id, local, port, learning }, { id: 228, local: "10.0.7.5", port: 4789, learning: false });
    assert.deepEqual((await output("ip route show table 228")).trim().split(/\s*\n/), [
      "default via 203.0.113.1 dev vxlan228 proto 118",
      "203.0.113.0/24 dev vxlan228 proto 118 scope link",
    ]);
    assert.deepEqual(await missingRules(), []);
    assert.match(await output("nft list table inet vlan_router"), /iifname "vxlan228"/);
  });

  it("A8: reports the VLAN network as a condition, for want of its parent, beside a healthy one", async () => {
    const status = await agent.status();
    const [vlan, vxlan] = status?.networks ?? [];
    assert.deepEqual(
      [vlan?.name, vlan?.interface, vlan?.conditions.map(({ type, status, reason }) => [type, status, reason])],
      ["vlan220", { name: "vlan220", state: "missing" }, [["Applied", "False", "ParentMissing"]]],
    );
    assert.deepEqual([vxlan?.name, vxlan?.interface.state, vxlan?.tables], ["vxlan228", "up", [228]]);
    assert.deepEqual(vxlan?.addresses, ["203.0.113.20"]);
    assert.deepEqual(
      vxlan?.sessions.map(({ peer }) => peer),
      ["10.0.7.19", "10.0.7.20"],
    );
  });

  it("is ready, and says so to a probe", async () => {
    assert.equal((await agent.run("status", "--ready", "--status-file", agent.statusFile())).code, 0);
  });

  it("puts a deleted rule back within a second, and counts the repair", async () => {
    await node.ip("n1", "rule del priority 4016 from 203.0.113.0/24 lookup 228");
    const deleted = performance.now();
    while ((await missingRules()).length > 0) {
      assert.ok(performance.now() - deleted < 10_000, "the rule never came back");
      await sleep(10);
    }
    const took = Math.round(performance.now() - deleted);
    console.log(`rule back after ${took} ms`);
    assert.ok(took < 1000, `the rule came back after ${took} ms`);
    await agent.until("the repair is counted", (networks) => networks.get("vxlan228")?.repairs === 1);
  });

  it("leaves the kernel alone on SIGTERM, ends with 0, and is not ready any more", async () => {
    const standing = await kernelState(node, "n1");
    const { code, took } = await agent.stop();
    console.log(`left after ${Math.round(took)} ms`);
    assert.equal(code, 0);
    assert.ok(took < 2500, `it took ${took} ms`);
    assert.deepEqual(await kernelState(node, "n1"), standing);
    assert.equal((await agent.run("status", "--ready", "--status-file", agent.statusFile())).code, 1);
  });

  it("changes nothing when it starts again", async () => {
    const standing = await kernelState(node, "n1");
    agent.log.length = 0;
    agent.start();
    await agent.until("the plan stands", stands);
    assert.deepEqual(await kernelState(node, "n1"), standing);
    assert.deepEqual(
      agent.log.filter(({ msg }) => /carried out|put right|changed/.test(msg)),
      [],
    );
  });

  it("keeps the last good configuration when the file is bad, and reports every mistake at once", async () => {
    const standing = await kernelState(node, "n1");
    await agent.configure(seed.replace("vni: 228", "vni: 254").replace("id: 220", "id: 5000"));
    const complaint = await agent.logged("the configuration cannot be used; the last good one stays");
    assert.equal((complaint.mistakes as unknown[]).length, 2);
    await agent.configure("");
    await sleep(500);
    assert.deepEqual(await kernelState(node, "n1"), standing);
  });

  it("starts from the last good configuration when the file is bad", async () => {
    const standing = await kernelState(node, "n1");
    await agent.stop("SIGKILL");
    agent.log.length = 0;
    agent.start();
    await agent.until("the plan stands", stands);
    await agent.logged("the configuration cannot be used; the last good one stays");
    assert.deepEqual(await kernelState(node, "n1"), standing);
  });

  it("is not cleaned up after while it runs, and lists what a clean-up would do", async () => {
    const standing = await kernelState(node, "n1");
    const refused = await agent.run("cleanup", "--state-directory", agent.stateDirectory());
    assert.equal(refused.code, 2);
    const [before, holder, after] = refused.stderr.split(/(process \d+ \(.*main\.js agent --config .*\))(?=\))/);
    assert.equal(
      `${before}HOLDER${after}`,
      `vlan-router cleanup: refused, nothing was changed: an agent works on this node (${agent.stateDirectory()}/lock is ` +
        "locked by HOLDER) and would put everything back; stop it first\n",
      holder,
    );
    assert.equal(refused.stdout, "");
    const listed = await agent.run("cleanup", "--dry-run", "--state-directory", agent.stateDirectory());
    assert.equal(listed.code, 0);
    assert.match(listed.stderr, /^vlan-router cleanup: would be refused: an agent works on this node /);
    assert.match(listed.stdout, /^ip link del dev vxlan228$/m);
    assert.deepEqual(await kernelState(node, "n1"), standing);
  });

  it("removes a network that the file does not name any more, and nothing else", async () => {
    await agent.configure("podNetworks: [10.244.0.0/16]\nnetworks: []\n");
    await agent.until("the network is gone", (networks) => networks.size === 0);
    assert.deepEqual(await kernelState(node, "n1"), stateBefore);
  });

  it("lets a second agent wait until the first has left", async () => {
    const second = AgentProcess.beside(agent);
    second.start();
    await second.logged("another agent works on this node; waiting");
    await agent.stop();
    await second.logged("agent started");
    assert.equal((await second.stop()).code, 0);
  });

  it("leaves nothing after a clean-up", async () => {
    await agent.configure(seed);
    agent.start();
    await agent.until("the plan stands", stands);
    await agent.stop("SIGKILL");
    assert.equal((await agent.run("cleanup", "--state-directory", agent.stateDirectory())).code, 0);
    assert.deepEqual(await kernelState(node, "n1"), stateBefore);
  });
});
