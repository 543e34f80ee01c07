import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration, startNode } from "./base-node.js";
import { RemoteReconciler } from "./remote-reconciler.js";

/** Milliseconds: the monitors' sockets are open some after the programs start, and a comparison follows that. */
const monitorsStart = 800;
/** Milliseconds for the test to fail after, not what a repair may take. */
const repairLimit = 5_000;

const withKey = (value: "on" | "off", more = "") =>
  baseYaml.replace("vni: 228", `vni: 228\n      txChecksum: ${value}${more}`);

describe("C16: transmit checksum offload of the VXLAN interface", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;

  /** As ethtool prints it for people: `tx-checksum-ip-generic: off`. */
  const printed = async (device: string): Promise<string | undefined> => {
    const { stdout } = await node.exec("n1", ["ethtool", "--show-features", device]);
    return /^\s*tx-checksum-ip-generic: (.*)$/m.exec(stdout)?.[1];
  };
  const reconcile = async (yaml: string) => {
    const plan = await reconciler.plan(configuration(yaml));
    const { networks } = await reconciler.reconcile(plan);
    assert.deepEqual(
      networks.map(({ errors, conflicts }) => ({ errors, conflicts })),
      [{ errors: [], conflicts: [] }],
    );
    return plan;
  };

  before(async () => {
    node = await startNode();
    reconciler = RemoteReconciler.start(node, "n1");
  });
  after(async () => {
    await reconciler?.end();
    await node?.end();
  });

  it("C16: without the key the kernel's default stays, which is on", async () => {
    await reconcile(baseYaml);
    assert.equal(await printed("vxlan228"), "on");
  });

  it("C16: off is set on an interface that stands, and on no other; the second comparison finds nothing to do", async () => {
    const before = await printed("eth0");
    const plan = await reconcile(withKey("off"));
    assert.deepEqual([await printed("vxlan228"), await printed("eth0")], ["off", before]);
    const { networks } = await reconciler.reconcile(plan);
    assert.deepEqual(
      networks.map(({ applied, repaired }) => [...applied, ...repaired]),
      [[]],
    );
  });

  it("C16: an interface that is made again, for its UDP port changed, has it off", async () => {
    await reconcile(withKey("off", "\n      port: 8472"));
    assert.equal(await printed("vxlan228"), "off");
  });

  it("C16: it is put back when somebody switches it on, and when the interface is deleted", async () => {
    const plan = await reconcile(withKey("off"));
    await reconciler.follow(plan);
    await sleep(monitorsStart);
    for (const damage of ["ethtool --offload vxlan228 tx on", "ip link del dev vxlan228"]) {
      const repairs = (await reconciler.repairs()).length;
      await node.exec("n1", damage.split(" "));
      await waitFor(`a repair after ${damage}`, async () => (await reconciler.repairs()).length > repairs, {
        timeout: repairLimit,
      });
      // The repair is told when it has been carried out.
      assert.equal(await printed("vxlan228"), "off", damage);
    }
  });
});

describe("C16: transmit checksum offload behind a bridge", () => {
  it("C16: is that of the port, and on takes off back", async () => {
    const node = await startNode();
    const reconciler = RemoteReconciler.start(node, "n1");
    try {
      for (const value of ["off", "on"] as const) {
        const plan = await reconciler.plan(configuration(withKey(value, "\n      bridge: true")));
        const { networks } = await reconciler.reconcile(plan);
        assert.deepEqual(networks[0]?.errors, []);
        const { stdout } = await node.exec("n1", ["ethtool", "--show-features", "vxlan228"]);
        assert.match(stdout, new RegExp(`^\\s*tx-checksum-ip-generic: ${value}$`, "m"));
      }
    } finally {
      await reconciler.end();
      await node.end();
    }
  });
});
