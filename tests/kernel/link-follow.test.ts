import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitFor } from "../../lab/processes/index.js";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";
import { takeCount } from "./public-segment.js";

/** An address of the public prefix on the node, from which packets leave all the time. */
const ADDRESS = "203.0.113.20";
const OUTSIDE = "192.0.2.9";

interface Settings {
  readonly vni?: number;
  readonly port?: number;
  readonly mtu?: number;
}

function yaml({ vni = 228, port = 4789, mtu }: Settings = {}): string {
  return `
podNetworks: [10.244.0.0/16]
networks:
  - name: public
    type: vxlan
    vxlan: { vni: ${vni}, port: ${port}, ${mtu === undefined ? "" : `mtu: ${mtu}, `}nodeNet: 10.0.7.0/24, remotes: [10.0.7.19] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;
}

/** At the other end of eth0, where the node's default gateway is: what comes from the public prefix outside of the tunnel. */
const LEAKS = `
table inet leaks {
  counter leaked {}
  chain arrivals { type filter hook prerouting priority -400;
    ip saddr 203.0.113.0/24 counter name leaked
  }
}
`;

interface Link {
  readonly mtu: number;
  readonly address: string;
  readonly ifindex: number;
  readonly linkinfo: { readonly info_data: { readonly local: string; readonly port: number } };
}

describe("the VXLAN interface follows the configuration and the underlay, while packets leave", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;

  const output = async (command: string): Promise<string> =>
    (await node.exec("n1", command.split(" "), { check: false })).stdout;
  const link = async (name: string): Promise<Link | undefined> => {
    const text = await output(`ip -d -j link show dev ${name}`);
    return text === "" ? undefined : (JSON.parse(text)[0] as Link);
  };
  const applied = (networks: ReadonlyMap<string, NetworkStatus>): boolean =>
    (networks.get("public")?.conditions ?? []).some(({ type, status }) => type === "Applied" && status === "True");
  const stands = async (name: string, table: number): Promise<boolean> =>
    (await output(`ip route show table ${table}`)) ===
    `default via 203.0.113.1 dev ${name} proto 118 \n203.0.113.0/24 dev ${name} proto 118 scope link \n`;
  /** The kernel takes the default route away with the last address of its subnet. */
  const moveUnderlay = (from: string, to: string) =>
    node.ip("n1", `address del ${from} dev eth0`, `address add ${to} dev eth0`, "route replace default via 10.0.7.1");
  const leaked = () => takeCount(node, "outside", "leaks", "leaked");

  before(async () => {
    node = await startNode(["elsewhere"]);
    await node.ip("outside", "address add 10.0.7.1/24 dev eth0");
    await node.nft("outside", LEAKS);
    await node.ip("n1", `address add ${ADDRESS}/32 dev lo`);
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", yaml());
    agent.start();
    await agent.until("the plan stands", applied);
    await leaked();
    // An error for a packet is none for the next one: a loop that ends at the first would prove nothing.
    node.spawn("n1", ["ping", "-q", "-i", "0.002", "-I", ADDRESS, OUTSIDE], { stdio: "ignore" });
  });
  after(async () => {
    await agent?.end();
    // The sender goes with its namespaces.
    await node?.end();
  });

  it("another MTU is set in place", async () => {
    const before = await link("vxlan228");
    await agent.configure(yaml({ mtu: 1400 }));
    await waitFor("MTU 1400", async () => (await link("vxlan228"))?.mtu === 1400);
    assert.equal((await link("vxlan228"))?.ifindex, before?.ifindex);
    await agent.configure(yaml());
    await waitFor("MTU 1550", async () => (await link("vxlan228"))?.mtu === 1550);
    assert.equal(await leaked(), 0);
  });

  it("B17: the underlay's MTU is followed in both directions", async () => {
    await node.ip("n1", "link set eth0 mtu 1500");
    await waitFor("MTU 1450", async () => (await link("vxlan228"))?.mtu === 1450);
    await node.ip("n1", "link set eth0 mtu 1600");
    await waitFor("MTU 1550", async () => (await link("vxlan228"))?.mtu === 1550);
    assert.equal(await leaked(), 0);
  });

  it("B6: another address of the underlay changes local address and MAC in place, and routes stay", async () => {
    const before = await link("vxlan228");
    await moveUnderlay("10.0.7.5/24", "10.0.7.6/24");
    const local = async () => (await link("vxlan228"))?.linkinfo.info_data.local;
    await waitFor("local 10.0.7.6", async () => (await local()) === "10.0.7.6");
    const now = await link("vxlan228");
    assert.equal(now?.ifindex, before?.ifindex);
    assert.notEqual(now?.address, before?.address);
    assert.ok(await stands("vxlan228", 228));
    await moveUnderlay("10.0.7.6/24", "10.0.7.5/24");
    await waitFor("local 10.0.7.5", async () => (await local()) === "10.0.7.5");
    assert.equal((await link("vxlan228"))?.address, before?.address);
    assert.equal(await leaked(), 0);
  });

  it("B6: an underlay without an address is waited for, and what stands stays", async () => {
    await node.ip("n1", "address del 10.0.7.5/24 dev eth0");
    await agent.until("it waits", (networks) =>
      (networks.get("public")?.conditions ?? []).some(({ reason }) => reason === "NoVtepAddress"),
    );
    assert.ok(await stands("vxlan228", 228));
    await node.ip("n1", "address add 10.0.7.5/24 dev eth0", "route replace default via 10.0.7.1");
    await agent.until("the plan stands", applied);
    assert.equal(await leaked(), 0);
  });

  it("A3, C12: another UDP port makes the interface again, and no packet leaves by the main table meanwhile", async () => {
    const before = await link("vxlan228");
    await agent.configure(yaml({ port: 8472 }));
    await waitFor("port 8472", async () => (await link("vxlan228"))?.linkinfo.info_data.port === 8472);
    await waitFor("the routes", () => stands("vxlan228", 228));
    assert.notEqual((await link("vxlan228"))?.ifindex, before?.ifindex);
    await agent.configure(yaml());
    await waitFor("port 4789", async () => (await link("vxlan228"))?.linkinfo.info_data.port === 4789);
    await waitFor("the routes", () => stands("vxlan228", 228));
    assert.equal(await leaked(), 0);
  });

  it("A3: another VNI makes another interface with another table, and no packet leaves by the main table meanwhile", async () => {
    await agent.configure(yaml({ vni: 229 }));
    await waitFor("vxlan229", () => stands("vxlan229", 229));
    await waitFor("vxlan228 is gone", async () => (await link("vxlan228")) === undefined);
    assert.equal(await output("ip route show table 228"), "");
    await agent.configure(yaml());
    await waitFor("vxlan228", () => stands("vxlan228", 228));
    await waitFor("vxlan229 is gone", async () => (await link("vxlan229")) === undefined);
    assert.equal(await leaked(), 0);
  });

  const damages: readonly { readonly what: string; readonly command: string; readonly undo?: string }[] = [
    { what: "deleted", command: "ip link del vxlan228" },
    { what: "set down", command: "ip link set vxlan228 down" },
    { what: "renamed", command: "ip link set vxlan228 name mine" },
    {
      what: "made a port of somebody's bridge",
      command: "ip link add br7 type bridge; ip link set vxlan228 master br7",
      undo: "ip link del br7",
    },
    {
      what: "made again by somebody, up, with another port and without our alias",
      command: "ip link del vxlan228; ip link add vxlan228 type vxlan id 228 dstport 4790; ip link set vxlan228 up",
      undo: "ip link del vxlan228",
    },
  ];
  for (const { what, command, undo } of damages) {
    it(`A3: ${what}, it is put back, and no packet leaves by the main table meanwhile`, async () => {
      const names = await output("ip -br link show type vxlan");
      await node.exec("n1", ["sh", "-c", command]);
      if (undo !== undefined && what.startsWith("made again")) {
        await agent.until("the foreign interface is reported", (networks) =>
          (networks.get("public")?.conditions ?? []).some(({ reason }) => reason === "ForeignInterface"),
        );
        assert.match(await output("ip -d link show dev vxlan228"), /dstport 4790/);
        await node.exec("n1", ["sh", "-c", undo]);
      }
      await waitFor("interface and routes", async () => {
        const master = /master/.test(await output("ip link show dev vxlan228"));
        return !master && (await stands("vxlan228", 228));
      });
      await agent.until("the plan stands", applied);
      if (undo !== undefined && !what.startsWith("made again")) await node.exec("n1", ["sh", "-c", undo]);
      assert.equal((await output("ip -br link show type vxlan")).split(" ")[0], names.split(" ")[0]);
      assert.equal((await output("ip -br link show type vxlan")).split("\n").length, names.split("\n").length);
      assert.equal(await leaked(), 0);
    });
  }

  it("A3: moved into another network namespace, it still holds the VNI: that is said, and nothing leaks", async () => {
    await node.ip("n1", "link set vxlan228 netns elsewhere");
    await agent.until("the segment is said to be elsewhere", (networks) =>
      (networks.get("public")?.conditions ?? []).some(({ reason }) => reason === "SegmentElsewhere"),
    );
    assert.equal(await leaked(), 0);
    await node.ip("elsewhere", "link del vxlan228");
    // Nothing tells this namespace of it, but any event makes the agent look.
    await node.ip("n1", "link set lo down", "link set lo up");
    await waitFor("interface and routes", () => stands("vxlan228", 228));
    assert.equal(await leaked(), 0);
  });

  it("would leak without rules: the packets of this test do leave, and the counter counts them", async () => {
    await agent.stop("SIGKILL");
    await node.exec("n1", ["ip", "rule", "flush", "protocol", "118"]);
    await waitFor("leaked packets", async () => (await leaked()) > 0);
    agent.start();
    await agent.until("the plan stands", applied);
  });
});
