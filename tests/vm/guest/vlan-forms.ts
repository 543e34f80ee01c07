import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUnchanged, KernelReconciler } from "../../../agent-image/agent/kernel/index.js";
import {
  assertGuarded,
  cableTo,
  carried,
  kernelState,
  makeVlanNode,
  pass,
  ping,
  shell,
  type VlanForm,
} from "./vlan-node.js";

interface Form extends VlanForm {
  readonly name: string;
  /** The administrator's setting for the whole node; 0 when absent. Where it is strict our interface validates by the mark. */
  readonly rpFilterAll?: 1;
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

before(makeVlanNode);

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
