import assert from "node:assert/strict";
import { release } from "node:os";
import {
  isConverged,
  type KernelReconciler,
  observe,
  type ReconcileResult,
  SYSCTL_ROOT,
  systemCommands,
} from "../../../agent-image/agent/kernel/index.js";
import { run } from "../../../lab/processes/index.js";
import { type NodePlan, nodeFacts, parseConfigurationFile, planNode } from "../../../model/index.js";

/** On the node's loopback; the gateway of every form answers it. */
const ADDRESS = "198.51.100.10";

/** Where a VLAN of the node stands. */
export interface VlanForm {
  readonly parent: string;
  readonly id: number;
  /** Makes the parent with the cable `cable` to the gateway in it. */
  readonly make: string;
}

/** The gateway stands tagged at the other end of the cable. */
export const cableTo = (id: number): string => `
ip link add cable type veth peer name eth0 netns gateway
ip -n gateway link set eth0 up
ip -n gateway link add link eth0 name segment type vlan id ${id}
ip -n gateway address add 198.51.100.1/24 dev segment
ip -n gateway link set segment up
`;

export async function shell(script: string): Promise<string> {
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
export async function kernelState(): Promise<Readonly<Record<string, readonly string[]>>> {
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

export const ipv4Subnet = "{ cidr: 198.51.100.0/24, gateway: 198.51.100.1 }";

/** One pass of the agent: what it sees decides over the plan. */
export async function pass(
  reconciler: KernelReconciler,
  { parent, id }: Pick<VlanForm, "parent" | "id">,
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

export async function carried(reconciler: KernelReconciler, form: VlanForm, mtu?: number): Promise<NodePlan> {
  const { plan, result } = await pass(reconciler, form, mtu);
  assert.deepEqual(plan.unplanned, []);
  assert.ok(isConverged(result), JSON.stringify(result));
  return plan;
}

/** What stands of a network that waits: its rules, by which nothing leaves by the main table. */
export async function assertGuarded(id: number): Promise<void> {
  assert.match(await shell("ip rule"), new RegExp(`4016:\\tfrom 198.51.100.0/24 lookup ${id} proto 118`));
  const { code, stderr } = await run(["ip", "route", "get", "192.0.2.9", "from", ADDRESS], { check: false });
  assert.deepEqual([code, stderr], [2, "RTNETLINK answers: Network is unreachable\n"]);
}

export const ping = () => shell(`ping -q -c 1 -W 5 -I ${ADDRESS} 198.51.100.1`);
export const mtuOf = async (name: string): Promise<number> => Number(await shell(`cat /sys/class/net/${name}/mtu`));

/** The underlay and the address that every file of these tests starts from. */
export async function makeVlanNode(): Promise<void> {
  console.log(`kernel ${release()}`);
  await shell(`modprobe bonding max_bonds=0
ip netns add gateway
ip link add eth0 type veth peer name far0
ip address add 10.0.7.5/24 dev eth0
ip link set eth0 up
ip route add default via 10.0.7.1
ip address add ${ADDRESS}/32 dev lo
sysctl -q -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 net.ipv6.conf.all.accept_dad=0`);
}
