import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { isConverged, isUnchanged, KernelReconciler } from "../../../agent-image/agent/kernel/index.js";
import {
  cableTo,
  carried,
  ipv4Subnet,
  kernelState,
  makeVlanNode,
  pass,
  ping,
  shell,
  type VlanForm,
} from "./vlan-node.js";

before(makeVlanNode);

describe("a VLAN interface that is there already", () => {
  const form: VlanForm = { parent: "enp2s0", id: 220, make: "ip link set cable name enp2s0" };
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
