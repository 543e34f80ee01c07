import assert from "node:assert/strict";
import { release } from "node:os";
import { after, before, describe, it } from "node:test";
import {
  isConverged,
  isUnchanged,
  KernelReconciler,
  observe,
  type ReconcileResult,
  SYSCTL_ROOT,
  systemCommands,
} from "../../../agent-image/agent/kernel/index.js";
import { run } from "../../../lab/processes/index.js";
import { type NodePlan, nodeFacts, parseConfigurationFile, planNode } from "../../../model/index.js";
import { vlanDamages, vlanFilteringDamage } from "../../support/link-damages.js";

/** On the node's loopback; the gateway of every form answers it. */
const ADDRESS = "198.51.100.10";

interface Form {
  readonly name: string;
  readonly parent: string;
  readonly id: number;
  /** The administrator's setting for the whole node; 0 when absent. Where it is strict our interface validates by the mark. */
  readonly rpFilterAll?: 1;
  /** Makes the parent with the cable `cable` to the gateway in it. */
  readonly make: string;
}

const forms: readonly Form[] = [
  { name: "on a plain interface", parent: "enp1s0", id: 221, make: "ip link set cable name enp1s0" },
  {
    name: "on a bridge",
    parent: "br1",
    id: 222,
    make: "ip link add br1 type bridge; ip link set cable master br1; ip link set cable up",
  },
  {
    name: "on a bond",
    parent: "bond1",
    id: 4094,
    rpFilterAll: 1,
    make: "ip link add bond1 type bond mode active-backup miimon 100; ip link set cable master bond1; ip link set cable up",
  },
];

/** The gateway stands tagged at the other end of the cable. */
const cableTo = (id: number): string => `
ip link add cable type veth peer name eth0 netns gateway
ip -n gateway link set eth0 up
ip -n gateway link add link eth0 name segment type vlan id ${id}
ip -n gateway address add 198.51.100.1/24 dev segment
ip -n gateway link set segment up
`;

async function shell(script: string): Promise<string> {
  return (await run(["sh", "-e", "-c", script])).stdout;
}

/** Lists of iproute2, each entry with everything that it knows of it. */
const lists = [
  "ip -d -j link",
  "ip -d -j -4 route show table all",
  "ip -d -j -6 route show table all",
  "ip -d -j -4 rule",
  "ip -d -j -6 rule",
  "bridge -j fdb",
];

/**
 * What cleaning up must bring back, sysctls included. Without a bridge's timers, and sorted, since the kernel lists IPv6 routes in the
 * order in which they came.
 */
async function kernelState(): Promise<Readonly<Record<string, readonly string[]>>> {
  const script = lists.map((command) => `${command}; echo`).join("\n");
  const outputs = (await shell(script)).split("\n").filter((line) => line !== "");
  const entriesOf = (json = "[]"): readonly string[] =>
    (JSON.parse(json) as readonly object[]).map((entry) => JSON.stringify(entry, withoutTimers)).toSorted();
  return {
    ...Object.fromEntries(lists.map((command, index) => [command, entriesOf(outputs[index])])),
    nft: (await shell("nft list ruleset")).split("\n"),
    sysctls: (await shell("sysctl -a -r '^net[.]ipv[46][.]conf[.]'")).split("\n").toSorted(),
  };
}

function withoutTimers(key: string, value: unknown): unknown {
  return key.endsWith("_timer") ? undefined : value;
}

const ipv4Subnet = "{ cidr: 198.51.100.0/24, gateway: 198.51.100.1 }";

/** One pass of the agent: what it sees decides over the plan. */
async function pass(
  reconciler: KernelReconciler,
  { parent, id }: Pick<Form, "parent" | "id">,
  mtu?: number,
  routing = ipv4Subnet,
): Promise<{ readonly plan: NodePlan; readonly result: ReconcileResult }> {
  const parsed = parseConfigurationFile(`
podNetworks: [10.244.0.0/16]
networks:
  - name: public
    type: vlan
    vlan: { parent: ${parent}, id: ${id}${mtu === undefined ? "" : `, mtu: ${mtu}`} }
    routing: [${routing}]
`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
  const plan = planNode(parsed.value, nodeFacts(await observe(systemCommands, SYSCTL_ROOT), "n1", {}));
  return { plan, result: await reconciler.reconcile(plan) };
}

async function carried(reconciler: KernelReconciler, form: Form, mtu?: number): Promise<NodePlan> {
  const { plan, result } = await pass(reconciler, form, mtu);
  assert.deepEqual(plan.unplanned, []);
  assert.ok(isConverged(result), JSON.stringify(result));
  return plan;
}

/** What stands of a network that waits: its rules, by which nothing leaves by the main table. */
async function assertGuarded(id: number): Promise<void> {
  assert.match(await shell("ip rule"), new RegExp(`4016:\\tfrom 198.51.100.0/24 lookup ${id} proto 118`));
  const { code, stderr } = await run(["ip", "route", "get", "192.0.2.9", "from", ADDRESS], { check: false });
  assert.deepEqual([code, stderr], [2, "RTNETLINK answers: Network is unreachable\n"]);
}

const ping = () => shell(`ping -q -c 1 -W 5 -I ${ADDRESS} 198.51.100.1`);
const mtuOf = async (name: string): Promise<number> => Number(await shell(`cat /sys/class/net/${name}/mtu`));

before(async () => {
  console.log(`kernel ${release()}`);
  await shell(`modprobe bonding max_bonds=0
ip netns add gateway
ip link add eth0 type veth peer name far0
ip address add 10.0.7.5/24 dev eth0
ip link set eth0 up
ip route add default via 10.0.7.1
ip address add ${ADDRESS}/32 dev lo
sysctl -q -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 net.ipv6.conf.all.accept_dad=0`);
});

for (const form of forms) {
  const { name, parent, id, make, rpFilterAll = 0 } = form;
  const own = `vlan${id}`;

  describe(`a VLAN ${name}`, () => {
    const reconciler = new KernelReconciler();
    let untouched: Awaited<ReturnType<typeof kernelState>>;

    before(async () => {
      await shell(`${cableTo(id)}${make}\nip link set ${parent} up\nsleep 3`);
      await shell(`sysctl -q -w net.ipv4.conf.all.rp_filter=${rpFilterAll}`);
      untouched = await kernelState();
    });
    after(async () => {
      await shell(`ip link del ${parent}; ip link del cable 2>/dev/null || true`);
      await shell("sysctl -q -w net.ipv4.conf.all.rp_filter=0");
    });

    it("is made, carries packets to its gateway, and needs nothing more", async () => {
      await carried(reconciler, form);
      const [link] = JSON.parse(await shell(`ip -d -j link show dev ${own}`));
      assert.deepEqual(
        [link.link, link.ifalias, link.mtu, link.linkinfo.info_data.id, link.linkinfo.info_data.protocol],
        [parent, "vlan-router:public", 1500, id, "802.1Q"],
      );
      await ping();
      assert.equal(await shell(`sysctl -n net.ipv4.conf.${own}.src_valid_mark`), `${rpFilterAll}\n`);
      assert.ok(isUnchanged((await pass(reconciler, form)).result));
    });

    it("has its properties put back", async () => {
      for (const { words, repair } of vlanDamages) {
        await shell(`ip link set dev ${own} type vlan ${words}`);
        const { result } = await pass(reconciler, form);
        assert.deepEqual(result.networks[0]?.repaired, [`ip link set dev ${own} type vlan ${repair}`]);
        assert.ok(isUnchanged((await pass(reconciler, form)).result));
      }
      await ping();
    });

    it("waits while its parent is down, guarded, and comes back with it", async () => {
      await shell(`ip link set ${parent} down`);
      const { plan, result } = await pass(reconciler, form);
      assert.deepEqual(
        plan.unplanned.map(({ condition }) => condition),
        [{ reason: "ParentDown", message: `waiting: parent ${parent} is down` }],
      );
      assert.ok(isUnchanged(result), JSON.stringify(result));
      await assertGuarded(id);
      await shell(`ip link set ${parent} up; sleep 1`);
      const back = await pass(reconciler, form);
      assert.deepEqual(back.result.networks[0]?.errors, []);
      await ping();
    });

    it("is removed without a trace", async () => {
      assert.deepEqual((await reconciler.cleanUp()).errors, []);
      assert.deepEqual(await kernelState(), untouched);
    });
  });
}

describe("a bridge of ours", () => {
  const reconciler = new KernelReconciler();
  after(() => reconciler.cleanUp());

  it("keeps no MACs by VLAN", async () => {
    const parsed = parseConfigurationFile(`
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, bridge: true, remotes: [10.0.7.19] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
    const plan = planNode(parsed.value, nodeFacts(await observe(systemCommands, SYSCTL_ROOT), "n1", {}));
    assert.ok(isConverged(await reconciler.reconcile(plan)));
    await shell(`ip link set dev br228 type bridge ${vlanFilteringDamage.words}`);
    assert.deepEqual((await reconciler.reconcile(plan)).networks[0]?.repaired, [
      `ip link set dev br228 type bridge ${vlanFilteringDamage.repair}`,
    ]);
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
  });
});

describe("a VLAN of ours follows what happens to it and its parent", () => {
  const form: Form = { name: "", parent: "enp3s0", id: 223, make: "ip link set cable name enp3s0" };
  const make = `${cableTo(form.id)}${form.make}\nip link set enp3s0 up\nsleep 1`;
  const reconciler = new KernelReconciler();

  before(async () => {
    await shell(make);
    await carried(reconciler, form);
  });
  after(() => shell("ip link del enp3s0"));

  it("its MTU in both directions, and a smaller one of its own", async () => {
    await shell("ip link set enp3s0 mtu 1400");
    await carried(reconciler, form);
    assert.equal(await mtuOf("vlan223"), 1400);
    await shell("ip link set enp3s0 mtu 9000");
    await carried(reconciler, form);
    assert.equal(await mtuOf("vlan223"), 9000);
    await carried(reconciler, form, 1500);
    assert.equal(await mtuOf("vlan223"), 1500);
    const { conditions } = (await carried(reconciler, form, 9001)).networks[0] ?? {};
    assert.deepEqual(conditions, [
      { reason: "MtuTooLarge", message: "vlan.mtu 9001 needs 9001 on enp3s0, which has 9000; 9000 is used" },
    ]);
    assert.equal(await mtuOf("vlan223"), 9000);
    await shell("ip link set enp3s0 mtu 1500");
    await carried(reconciler, form);
    await ping();
  });

  it("a parent that is deleted and comes back; it is guarded meanwhile", async () => {
    await shell("ip link del enp3s0");
    const { plan } = await pass(reconciler, form);
    assert.deepEqual(
      plan.unplanned.map(({ condition }) => condition.reason),
      ["ParentMissing"],
    );
    await assertGuarded(form.id);
    await shell(make);
    await carried(reconciler, form);
    await ping();
  });

  it("another name", async () => {
    await shell("ip link set vlan223 down; ip link set vlan223 name mine; ip link set mine up");
    await carried(reconciler, form);
    assert.equal(await shell("ls /sys/class/net | grep -e '^mine$' -e '^vlan223$'"), "vlan223\n");
    await ping();
  });

  it("somebody's bridge", async () => {
    await shell("ip link add br7 type bridge; ip link set vlan223 master br7");
    const { result } = await pass(reconciler, form);
    assert.deepEqual(result.networks[0]?.repaired, ["ip link set dev vlan223 nomaster"]);
    await shell("ip link del br7");
    await ping();
    assert.deepEqual((await reconciler.cleanUp()).errors, []);
  });
});

describe("a VLAN interface that is there already", () => {
  const form = { name: "", parent: "enp2s0", id: 220, make: "ip link set cable name enp2s0" };
  const reconciler = new KernelReconciler();
  let untouched: Awaited<ReturnType<typeof kernelState>>;

  before(async () => {
    await shell(`${cableTo(form.id)}${form.make}
ip link set enp2s0 up
ip link add link enp2s0 name enp2s0.220 mtu 1400 type vlan id 220
sysctl -q -w net.ipv4.conf.enp2s0/220.rp_filter=0
ip link set enp2s0.220 up
sleep 3`);
    untouched = await kernelState();
  });

  it("is used under its name and not changed", async () => {
    const before = await shell("ip -d -j link show dev enp2s0.220");
    const plan = await carried(reconciler, form);
    assert.deepEqual(
      plan.networks[0]?.conditions?.map(({ reason }) => reason).filter((reason) => reason !== "MtuBelowSegment"),
      ["AdoptedInterface"],
    );
    assert.equal(await shell("ip -d -j link show dev enp2s0.220"), before);
    assert.equal(
      await shell("ip route show table 220"),
      "default via 198.51.100.1 dev enp2s0.220 proto 118 \n198.51.100.0/24 dev enp2s0.220 proto 118 scope link \n",
    );
    await ping();
    assert.ok(isUnchanged((await pass(reconciler, form)).result));
  });

  it("is set up again by whoever sets it down", async () => {
    await shell("ip link set enp2s0.220 down");
    const { result } = await pass(reconciler, form);
    assert.deepEqual(result.networks[0]?.repaired, [
      "ip link set dev enp2s0.220 up",
      "ip -4 route add 198.51.100.0/24 dev enp2s0.220 table 220 protocol 118 scope link",
      "ip -4 route add default via 198.51.100.1 dev enp2s0.220 table 220 protocol 118",
    ]);
    await ping();
  });

  it("is no help as the port of a bridge: the network waits, guarded", async () => {
    await shell("ip link add br7 type bridge; ip link set enp2s0.220 master br7");
    const { plan, result } = await pass(reconciler, form);
    assert.deepEqual(
      plan.unplanned.map(({ condition }) => condition.reason),
      ["InterfaceEnslaved"],
    );
    assert.ok(isUnchanged(result), JSON.stringify(result));
    await shell("ip link set enp2s0.220 nomaster; ip link del br7");
    await carried(reconciler, form);
    await ping();
  });

  it("without IPv6, which somebody switched off on it, carries IPv4, and both once it has IPv6", async () => {
    const subnets = `${ipv4Subnet}, { cidr: "2001:db8:220::/64", gateway: "fe80::1" }`;
    const disabled = "net.ipv6.conf.enp2s0/220.disable_ipv6";
    const before = await shell(`sysctl -n ${disabled}`);
    await shell(`sysctl -q -w ${disabled}=1`);
    const { result } = await pass(reconciler, form, undefined, subnets);
    const [network] = result.networks;
    assert.deepEqual([network?.errors, network?.conflicts.map(({ reason }) => reason)], [[], ["Ipv6Disabled"]]);
    assert.match(
      network?.conflicts[0]?.message ?? "",
      /^net\.ipv6\.conf\.enp2s0\/220\.disable_ipv6 is 1 on an interface /,
    );
    await ping();
    assert.equal(await shell("ip -6 route show table 220"), "");
    // As the message says; the agent does not.
    assert.equal(await shell(`sysctl -n ${disabled}`), "1\n");
    await shell(`sysctl -q -w ${disabled}=0`);
    const now = await pass(reconciler, form, undefined, subnets);
    assert.ok(isConverged(now.result), JSON.stringify(now.result));
    assert.match(await shell("ip -6 route show table 220"), /^2001:db8:220::\/64 dev enp2s0\.220 proto 118 /);
    assert.equal(await shell(`sysctl -n ${disabled}`), before);
    // Its own link-local address comes back as it was when the kernel has settled.
    await shell("sleep 3");
    await carried(reconciler, form);
  });

  it("stays when the network goes, as it was", async () => {
    const { errors, stays } = await reconciler.cleanUp();
    assert.deepEqual(errors, []);
    assert.deepEqual(stays, [
      {
        reason: "AdoptedInterface",
        message: "interface enp2s0.220 (VLAN 220 on enp2s0): it was not made by this agent, which only used it",
        ours: false,
      },
    ]);
    assert.deepEqual(await kernelState(), untouched);
  });

  it("that is deleted is followed by one of ours, with the same segment", async () => {
    await carried(reconciler, form);
    await shell("ip link del enp2s0.220");
    await carried(reconciler, form);
    assert.equal(await shell("cat /sys/class/net/vlan220/ifalias"), "vlan-router:public\n");
    await ping();
    assert.deepEqual((await reconciler.cleanUp()).errors, []);
  });
});
