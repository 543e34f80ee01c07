import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  createProgress,
  evpnRoutes,
  type Lab,
  labDown,
  labUp,
  reflectorNames,
  waitFor,
  wrongDoorPackets,
} from "../../lab/index.js";
import { AgentProcess, inLab } from "../support/agent-process.js";
import { seed } from "../support/seed.js";

/** The agent from a file, on a node of the fabric that runs no Kubernetes, against FRR. */

const labName = "agent-file-test";
/** An address that the node itself holds. */
const held = "203.0.113.20";
const pings = 20;

describe("vlan-router agent --config FILE in the fabric", () => {
  let lab: Lab;
  let agent: AgentProcess;

  before(async () => {
    await labDown(labName);
    lab = await labUp(labName, createProgress(), { kubernetes: false });
    await lab.exec("n1", ["ip", "address", "add", `${held}/32`, "dev", "lo"]);
    agent = await AgentProcess.create(inLab(lab), "n1", "--config", seed);
    agent.start();
  });
  after(async () => {
    await agent.end();
    await labDown(labName);
  });

  const established = () =>
    agent.until(
      "both sessions Established",
      (networks) => networks.get("vxlan228")?.sessions.every(({ state }) => state === "Established") ?? false,
      60_000,
    );
  const ping = async (count: number) =>
    lab.exec("client", ["ping", "-q", "-c", String(count), "-i", "0.1", "-W", "2", held], { check: false });
  const sentOnVxlan = async () =>
    Number((await lab.exec("n1", ["cat", "/sys/class/net/vxlan228/statistics/tx_packets"])).stdout);

  test("both sessions become Established with the seed's file as it stands", async () => {
    await established();
    const status = await agent.status();
    const condition = status?.networks[1]?.conditions.find(({ type }) => type === "SessionsEstablished");
    assert.deepEqual([condition?.status, condition?.message], ["True", "2 of 2 sessions are Established"]);
  });

  test("both reflectors hold the node's Type-3, and its Type-2 for the held address", async () => {
    for (const name of reflectorNames) {
      await waitFor(`${name} to hold the node's routes`, async () => {
        const routes = (await evpnRoutes(lab, name)).filter(({ nextHop }) => nextHop === "10.0.7.11");
        return (
          routes.some(({ routeType }) => routeType === 3) &&
          routes.some(({ routeType, ip }) => routeType === 2 && ip === held)
        );
      });
    }
  });

  test("the kernel floods to both leaves, as their Type-3 routes say", async () => {
    await waitFor("the flood entries", async () => {
      const { stdout } = await lab.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan228"]);
      return ["10.0.7.19", "10.0.7.20"].every((vtep) => stdout.includes(`00:00:00:00:00:00 dst ${vtep} `));
    });
  });

  test("the client reaches the held address; every reply leaves by vxlan228 and none by the wrong door", async () => {
    await waitFor("the first reply", async () => (await ping(1)).code === 0);
    const [sentBefore, wrongBefore] = [await sentOnVxlan(), await wrongDoorPackets(lab)];
    const { code, stdout } = await ping(pings);
    assert.equal(code, 0, stdout);
    assert.match(stdout, new RegExp(`${pings} packets transmitted, ${pings} received`));
    const sent = (await sentOnVxlan()) - sentBefore;
    assert.ok(sent >= pings, `${sent} packets left by vxlan228 for ${pings} replies`);
    assert.deepEqual(await wrongDoorPackets(lab), wrongBefore);
  });

  test("the gateway knows the address by our announcement, without ever having asked", async () => {
    const neighbour = async () => (await lab.exec("gateway", ["ip", "neigh", "show", held])).stdout;
    await lab.exec("n1", ["ip", "address", "add", "203.0.113.21/32", "dev", "lo"]);
    await waitFor("the gateway to have an entry", async () =>
      (await lab.exec("gateway", ["ip", "neigh", "show", "203.0.113.21"])).stdout.includes("lladdr"),
    );
    const mac = (await agent.status())?.networks[1]?.interface.mac;
    assert.match(await neighbour(), new RegExp(`lladdr ${mac}`));
    await lab.exec("n1", ["ip", "address", "del", "203.0.113.21/32", "dev", "lo"]);
  });

  test("an address that the node no longer holds is withdrawn", async () => {
    for (const name of reflectorNames) {
      await waitFor(`${name} to have lost 203.0.113.21`, async () =>
        (await evpnRoutes(lab, name)).every(({ ip }) => ip !== "203.0.113.21"),
      );
    }
  });

  test("a restarted agent finds kernel state as it was and is back with the peers; the loss is measured", async () => {
    const probe = lab.spawn("client", ["ping", "-q", "-c", "400", "-i", "0.02", "-W", "1", held]);
    const output: string[] = [];
    probe.child.stdout?.on("data", (chunk) => output.push(String(chunk)));
    await agent.stop();
    const { stdout: kept } = await lab.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan228"]);
    assert.match(kept, /00:00:00:00:00:00 dst 10\.0\.7\.19 /);
    agent.start();
    await established();
    await probe.exit;
    const lost = /(\d+) packets transmitted, (\d+) received/.exec(output.join(""));
    const missing = Number(lost?.[1]) - Number(lost?.[2]);
    console.log(`restart of the agent: ${missing} of ${lost?.[1]} pings lost, one each 20 ms`);
    assert.equal((await ping(1)).code, 0);
  });
});
