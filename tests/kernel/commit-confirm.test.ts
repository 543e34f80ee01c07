import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";

/** The operator's network, reached by a second interface of the node. */
const operator = "10.20.0.1";
const good = "203.0.113.0/24";
/** Names the operator's network as a public one: answers from 10.20.0.5 would go to the gateway on the segment. */
const cutting = "10.20.0.0/24";

const file = (cidr: string) => `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.12] }
    routing: { cidr: ${cidr}, gateway: ${cidr.replace("0/24", "254")} }
`;

const applied = (networks: ReadonlyMap<string, NetworkStatus>) =>
  networks.get("vxlan228")?.conditions.find(({ type }) => type === "Applied");

describe("a change that cuts the node off", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;
  const rules = async (): Promise<string> => (await node.exec("n1", ["ip", "rule"])).stdout;

  beforeEach(async () => {
    node = await startNode(["operator"]);
    await node.connect("n1", "eth1", "operator", "eth0");
    await node.ip("n1", "address add 10.20.0.5/24 dev eth1");
    await node.ip("operator", `address add ${operator}/24 dev eth0`);
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", file(good));
    // Nothing listens there: a refusal shows that the host is reached.
    agent.start("--probe", `${operator}:22`, "--confirm-timeout", "2");
    await agent.until("the network is confirmed", (networks) => applied(networks)?.status === "True");
  });
  afterEach(async () => {
    await agent?.end();
    await node?.end();
  });

  it("is taken back by the node itself, which says so", async () => {
    const revision = async () => (await agent.status())?.networks[0]?.revision;
    const before = await revision();
    await agent.configure(file(cutting));
    await agent.until("the change is on trial", (networks) => applied(networks)?.reason === "Confirming");
    assert.equal(await revision(), before);
    assert.match(await rules(), /from 10\.20\.0\.0\/24 lookup 228/);
    await agent.until("the node is back", (networks) => applied(networks)?.reason === "ChangeReverted");
    assert.match((await agent.logged("what answered before a change is silent; going back")).msg, /going back/);
    const condition = applied(new Map((await agent.status())?.networks.map((network) => [network.name, network])));
    assert.match(
      condition?.message ?? "",
      /with it failed what was well before and is well again: 10\.20\.0\.1:22; revision .* is back/,
    );
    assert.equal(await revision(), before);
    assert.match(await rules(), /from 203\.0\.113\.0\/24 lookup 228/);
    assert.doesNotMatch(await rules(), /10\.20\.0\.0/);
  });

  it("is not what is blamed for a host that fell silent meanwhile: the change is applied again", async () => {
    await agent.configure(file("198.51.100.0/24"));
    await agent.until("the change is on trial", (networks) => applied(networks)?.reason === "Confirming");
    await node.ip("operator", "link set eth0 down");
    await agent.until(
      "the change is applied again",
      (networks) =>
        applied(networks)?.status === "True" &&
        (networks.get("vxlan228")?.conditions.some(({ type }) => type === "ChangeUnconfirmed") ?? false),
    );
    assert.match(await rules(), /from 198\.51\.100\.0\/24 lookup 228/);
  });

  it("is forgotten when the agent dies on trial: it starts from what was confirmed", async () => {
    await agent.configure(file(cutting));
    await agent.until("the change is on trial", (networks) => applied(networks)?.reason === "Confirming");
    await agent.stop("SIGKILL");
    await agent.configure("networks: [");
    agent.start("--probe", `${operator}:22`, "--confirm-timeout", "2");
    await agent.until("what was confirmed stands", (networks) => applied(networks)?.status === "True");
    assert.match(await rules(), /from 203\.0\.113\.0\/24 lookup 228/);
    assert.doesNotMatch(await rules(), /10\.20\.0\.0/);
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    it(`is tried from what was confirmed when the agent ends by ${signal} on trial and starts with it again`, async () => {
      await agent.configure(file(cutting));
      await agent.until("the change is on trial", (networks) => applied(networks)?.reason === "Confirming");
      await agent.stop(signal);
      assert.match(await rules(), /from 10\.20\.0\.0\/24 lookup 228/);
      agent.start("--probe", `${operator}:22`, "--confirm-timeout", "2");
      await agent.until("the node is back", (networks) => applied(networks)?.reason === "ChangeReverted");
      assert.match(await rules(), /from 203\.0\.113\.0\/24 lookup 228/);
      assert.doesNotMatch(await rules(), /10\.20\.0\.0/);
    });
  }
});
