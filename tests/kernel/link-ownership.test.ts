import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration, startNode } from "./base-node.js";
import { RemoteReconciler } from "./remote-reconciler.js";

/** `printf "10.0.7.5 228" | sha256sum`, its first six bytes as a locally administered unicast MAC. */
const mac = "16:08:26:b3:ea:e1";

describe("an interface with our name and MAC that is not ours", () => {
  let net: TestNamespaces;
  let reconciler: RemoteReconciler;
  before(async () => {
    net = await startNode();
    reconciler = RemoteReconciler.start(net, "n1");
  });
  after(async () => {
    await reconciler?.end();
    await net?.end();
  });

  for (const [what, type] of [
    ["of another VNI", "vxlan id 300 local 10.0.7.5 dstport 4789"],
    ["of another kind", "bridge"],
  ] as const) {
    it(`${what} is reported, and neither changed nor removed`, async () => {
      await net.ip("n1", `link add vxlan228 address ${mac} mtu 1400 type ${type}`);
      const links = async () => (await net.exec("n1", ["ip", "-details", "link", "show", "dev", "vxlan228"])).stdout;
      const before = await links();
      const plan = await reconciler.plan(configuration(baseYaml));
      assert.deepEqual(
        plan.unplanned.map(({ condition }) => condition.reason),
        ["ForeignInterface"],
      );
      await reconciler.reconcile(plan);
      assert.equal(await links(), before);
      assert.deepEqual((await reconciler.cleanUp()).errors, []);
      assert.equal(await links(), before);
      await net.ip("n1", "link del vxlan228");
    });
  }

  it("is ours with our VNI too, whatever somebody has done to its marks", async () => {
    await net.ip(
      "n1",
      `link add vxlan228 address ${mac} mtu 1400 type vxlan id 228 local 10.0.7.5 dstport 4789 nolearning`,
    );
    const plan = await reconciler.plan(configuration(baseYaml));
    assert.deepEqual(plan.unplanned, []);
    await reconciler.reconcile(plan);
    const [link] = (await net.json("n1", "ip -d -j link show dev vxlan228")) as { ifalias: string; group: string }[];
    assert.deepEqual([link?.ifalias, link?.group], ["vlan-router:vxlan228", "118118118"]);
  });
});
