import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  isConverged,
  isUnchanged,
  KernelReconciler,
  observe,
  SYSCTL_ROOT,
  systemCommands,
} from "../../../agent-image/agent/kernel/index.js";
import { nodeFacts, parseConfigurationFile, planNode } from "../../../model/index.js";
import { vlanDamages, vlanFilteringDamage } from "../../support/link-damages.js";
import { assertGuarded, cableTo, carried, makeVlanNode, mtuOf, pass, ping, shell, type VlanForm } from "./vlan-node.js";

before(makeVlanNode);

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
  const form: VlanForm = { parent: "enp3s0", id: 223, make: "ip link set cable name enp3s0" };
  const make = `${cableTo(form.id)}${form.make}\nip link set enp3s0 up\nsleep 1`;
  const reconciler = new KernelReconciler();

  before(async () => {
    await shell(make);
    await carried(reconciler, form);
  });
  after(() => shell("ip link del enp3s0"));

  it("its properties, which are put back", async () => {
    for (const { words, repair } of vlanDamages) {
      await shell(`ip link set dev vlan223 type vlan ${words}`);
      const { result } = await pass(reconciler, form);
      assert.deepEqual(result.networks[0]?.repaired, [`ip link set dev vlan223 type vlan ${repair}`]);
      assert.ok(isUnchanged((await pass(reconciler, form)).result));
    }
    await ping();
  });

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
