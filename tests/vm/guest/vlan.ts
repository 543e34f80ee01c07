import assert from "node:assert/strict";
import { createServer } from "node:http";
import { release } from "node:os";
import { after, before, describe, it } from "node:test";
import {
  isConverged,
  isUnchanged,
  KernelReconciler,
  observe,
  SYSCTL_ROOT,
  systemCommands,
} from "../../../agent-image/agent/kernel/index.js";
import { run } from "../../../lab/processes/index.js";
import {
  type Configuration,
  type NodePlan,
  nodeFacts,
  parseConfigurationFile,
  planNode,
} from "../../../model/index.js";
import { seed } from "../../support/seed.js";

/** On the node's loopback; the kernel answers ARP for it. */
const LOCAL = "198.51.100.10";
/** On no interface, rewritten to a pod: what kube-proxy does. */
const REWRITTEN = "198.51.100.11";

/** On no interface, rewritten to a hostNetwork backend on another node and masqueraded: externalTrafficPolicy Cluster. */
const TO_OTHER_NODE = "198.51.100.12";

/**
 * The module makes a bond0 of its own when it is loaded, unless it is told otherwise; systemd tells it (modprobe.d), a system without does not.
 *
 * The virtual machine itself is the node; its neighbours are network namespaces.
 * Node: bond0 of two cables to a vlan-aware switch, eth0 to the door that leads nowhere. The gateway stands untagged in VLAN 220 and has the
 * client behind it.
 */
const TOPOLOGY = `
for place in switch gateway client wrong-door pod; do ip netns add $place; ip -n $place link set lo up; done
ip -n switch link add br0 type bridge vlan_filtering 1 vlan_default_pvid 0
ip -n switch link set br0 up
modprobe bonding max_bonds=0
ip link add bond0 type bond mode active-backup miimon 100
for cable in 0 1; do
  ip link add cable$cable type veth peer name node$cable netns switch
  ip link set cable$cable master bond0
  ip link set cable$cable up
  ip -n switch link set node$cable master br0 up
  bridge -n switch vlan add dev node$cable vid 220
done
ip link set bond0 up
ip link add eth0 netns gateway type veth peer name gateway netns switch
ip -n switch link set gateway master br0 up
bridge -n switch vlan add dev gateway vid 220 pvid untagged
ip -n gateway address add 198.51.100.1/24 dev eth0
ip -n gateway link set eth0 up
ip link add eth1 netns gateway type veth peer name eth0 netns client
ip -n gateway address add 192.0.2.1/24 dev eth1
ip -n gateway link set eth1 up
ip -n client address add 192.0.2.9/24 dev eth0
ip -n client link set eth0 up
ip -n client route add default via 192.0.2.1
ip netns exec gateway sysctl -q -w net.ipv4.ip_forward=1
ip link add eth0 type veth peer name eth0 netns wrong-door
ip -n wrong-door address add 10.0.7.1/24 dev eth0
ip -n wrong-door address add 10.0.7.12/24 dev eth0
ip -n wrong-door link set eth0 up
ip address add 10.0.7.5/24 dev eth0
ip link set eth0 mtu 1600 up
ip route add default via 10.0.7.1
ip link add cni0 type veth peer name eth0 netns pod
ip address add 10.244.0.1/24 dev cni0
ip link set cni0 up
ip -n pod address add 10.244.0.2/24 dev eth0
ip -n pod link set eth0 up
ip -n pod route add default via 10.244.0.1
ip address add ${LOCAL}/32 dev lo
sysctl -q -w net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
sysctl -q -w net.ipv4.conf.eth0.rp_filter=0 net.ipv4.conf.cni0.rp_filter=0 net.ipv6.conf.all.accept_dad=0
mkdir -p /run/www
printf 'from the pod' >/run/www/index.html
ip netns exec pod busybox httpd -p 80 -h /run/www
mkdir -p /run/other-node
printf 'from another node' >/run/other-node/index.html
ip netns exec wrong-door busybox httpd -p 10.0.7.12:8080 -h /run/other-node
for address in ${REWRITTEN} ${TO_OTHER_NODE}; do
  ip -n gateway neigh add $address lladdr $(cat /sys/class/net/bond0/address) dev eth0
done
sleep 3
`;

/** Stands for kube-proxy, and counts what leaves with a public source by which door. */
const PROXY = `
table inet proxy {
  counter right_door {}
  counter wrong_door {}
  chain rewrite {
    type nat hook prerouting priority dstnat;
    ip daddr ${REWRITTEN} tcp dport 80 dnat ip to 10.244.0.2
    ip daddr ${TO_OTHER_NODE} tcp dport 80 dnat ip to 10.0.7.12:8080
  }
  chain towards_nodes {
    type nat hook postrouting priority srcnat;
    ip daddr 10.0.7.12 tcp dport 8080 masquerade
  }
  chain doors {
    type filter hook postrouting priority 300;
    oifname "vlan220" ip saddr 198.51.100.0/24 counter name right_door
    oifname "eth0" ip saddr 198.51.100.0/24 counter name wrong_door
  }
}
`;

/** `ip -d -j link`, routes, rules and nft: what cleaning up must bring back. */
async function kernelState(): Promise<string> {
  const script =
    "ip -d -j link; ip route show table all; ip -6 route show table all; ip rule; ip -6 rule; nft --stateless list ruleset";
  return (await run(["sh", "-c", script])).stdout;
}

async function shell(script: string): Promise<string> {
  return (await run(["sh", "-e", "-c", script])).stdout;
}

function parsed(text: string): Configuration {
  const result = parseConfigurationFile(text);
  if (!result.ok) throw new Error(JSON.stringify(result.mistakes));
  return result.value;
}

describe("a VLAN network", () => {
  const reconciler = new KernelReconciler();
  const server = createServer((_, response) => response.end("from the node"));
  let plan: NodePlan;
  let untouched: string;

  const planned = async (): Promise<NodePlan> =>
    planNode(parsed(seed), nodeFacts(await observe(systemCommands, SYSCTL_ROOT), "n1", {}));

  before(async () => {
    console.log(`kernel ${release()}`);
    await shell(TOPOLOGY);
    await run(["nft", "-f", "-"], { input: PROXY });
    await new Promise<void>((resolve) => server.listen(80, LOCAL, resolve));
    untouched = await kernelState();
    plan = await planned();
  });
  after(() => server.close());

  it("is planned beside the VXLAN network of the same file", () => {
    assert.deepEqual(plan.unplanned, []);
    assert.deepEqual(
      plan.networks.map(({ link }) => link.name),
      ["vlan220", "vxlan228"],
    );
  });

  it("is refused while another interface holds the VLAN on this parent", async () => {
    await shell("ip link add link bond0 name bond0.220 type vlan id 220");
    const result = await reconciler.reconcile(plan);
    await shell("ip link del bond0.220");
    const [vlan, vxlan] = result.networks;
    assert.deepEqual(vlan?.conflicts, [
      {
        reason: "SegmentInUse",
        message:
          "VLAN 220 on bond0 belongs to interface bond0.220, which was not made by this agent; remove bond0.220 first",
      },
    ]);
    // What still has an address of the prefix may not leave through the main table.
    assert.deepEqual(vlan?.applied, [
      "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.0.7.0/24 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
      "ip -4 rule add priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
    ]);
    assert.deepEqual([vxlan?.conflicts, vxlan?.errors], [[], []]);
  });

  it("gets interface, table and rules, once", async () => {
    const result = await reconciler.reconcile(plan);
    assert.ok(isConverged(result), JSON.stringify(result));
    const [link] = JSON.parse(await shell("ip -d -j link show dev vlan220"));
    assert.deepEqual([link.link, link.ifalias, link.operstate, link.mtu], ["bond0", "vlan-router:vlan220", "UP", 1500]);
    assert.deepEqual([link.linkinfo.info_kind, link.linkinfo.info_data.id], ["vlan", 220]);
    assert.equal(
      await shell("ip route show table 220"),
      "default via 198.51.100.1 dev vlan220 proto 118 \n198.51.100.0/24 dev vlan220 proto 118 scope link \n",
    );
    assert.ok(isUnchanged(await new KernelReconciler().reconcile(await planned())));
  });

  it("carries a client's request to an address of the node and the reply by table 220", async () => {
    assert.equal(await request(LOCAL), "from the node");
    await assertDoors();
  });

  it("carries a client's request that is rewritten to a pod, and the reply by table 220", async () => {
    assert.equal(await request(REWRITTEN), "from the pod");
    await assertDoors();
  });

  it("carries a request that is rewritten to another node where requests are marked, by the exception for nodes", async () => {
    await shell("sysctl -q -w net.ipv4.conf.all.rp_filter=2");
    const marking = await planned();
    assert.ok(isConverged(await reconciler.reconcile(marking)));
    assert.equal(await request(TO_OTHER_NODE), "from another node");
    await assertDoors();
    // Each network of the seed has its own mark, so that this is the VLAN's exception.
    const mark = marking.networks[0]?.filter.mark?.value;
    await shell(`ip rule del priority 3000 to 10.0.7.0/24 fwmark ${mark}/0x3ff0 protocol 118 lookup main`);
    await assert.rejects(request(TO_OTHER_NODE), /TimeoutError/);
    await shell("sysctl -q -w net.ipv4.conf.all.rp_filter=0");
  });

  it("is removed without a trace", async () => {
    const removed = await reconciler.cleanUp();
    assert.deepEqual(removed.errors, []);
    assert.equal(await kernelState(), untouched);
  });
});

/** On an emulated processor an answer takes some seconds. */
const REQUEST_MS = 10_000;

async function request(address: string): Promise<string> {
  const program = `fetch("http://${address}/", { signal: AbortSignal.timeout(${REQUEST_MS}) }).then((answer) => answer.text()).then((text) => process.stdout.write(text))`;
  return (await run(["ip", "netns", "exec", "client", process.execPath, "-e", program])).stdout;
}

/** All replies have left by our interface since the last call, none by the default gateway. */
async function assertDoors(): Promise<void> {
  const packets = async (counter: string): Promise<number> => {
    const text = await shell(`nft -j reset counter inet proxy ${counter}`);
    return JSON.parse(text).nftables.find((entry: object) => "counter" in entry).counter.packets;
  };
  assert.ok((await packets("right_door")) >= 4, "SYN-ACK, data and FIN leave by vlan220");
  assert.equal(await packets("wrong_door"), 0);
}
