import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUnchanged } from "../../agent-image/agent/kernel/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration, startNode } from "./base-node.js";
import { dualStackYaml } from "./followed-node.js";
import { RemoteReconciler } from "./remote-reconciler.js";

const ipv4Routes =
  "default via 203.0.113.1 dev vxlan228 proto 118 \n203.0.113.0/24 dev vxlan228 proto 118 scope link \n";
const ipv6Routes =
  "2001:db8:228::/64 dev vxlan228 proto 118 metric 1024 pref medium\n" +
  "default via fe80::1 dev vxlan228 proto 118 metric 1024 pref medium\n";

describe("a node whose administrator switched IPv6 off for all interfaces and new ones", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;

  const output = async (command: string): Promise<string> => (await node.exec("n1", command.split(" "))).stdout;
  /** Whether IPv6 is off: for all, for new interfaces, on the underlay. */
  const off = () =>
    output(
      "sysctl -n net.ipv6.conf.all.disable_ipv6 net.ipv6.conf.default.disable_ipv6 net.ipv6.conf.eth0.disable_ipv6",
    );
  const pass = async () => {
    const plan = await reconciler.plan(configuration(dualStackYaml));
    const result = await reconciler.reconcile(plan);
    assert.deepEqual([result.node.errors, result.networks[0]?.errors, result.networks[0]?.conflicts], [[], [], []]);
    return { plan, repaired: result.networks[0]?.repaired };
  };
  const standing = async () => [await output("ip -4 route show table 228"), await output("ip -6 route show table 228")];

  before(async () => {
    node = await startNode();
    await node.sysctl("n1", "net.ipv6.conf.all.disable_ipv6=1");
    reconciler = RemoteReconciler.start(node, "n1");
  });
  after(async () => {
    await reconciler?.end();
    await node?.end();
  });

  it("carries both families of a network, and changes that on the network's own interface alone", async () => {
    assert.equal(await off(), "1\n1\n1\n");
    const { plan } = await pass();
    assert.deepEqual(await standing(), [ipv4Routes, ipv6Routes]);
    assert.match(
      await output("ip -6 route get 2001:db8:9::9 from 2001:db8:228::20 iif lo"),
      /^2001:db8:9::9 from 2001:db8:228::20 via fe80::1 dev vxlan228 table 228 /,
    );
    assert.match(await output("ip -6 address show dev vxlan228 scope link"), /inet6 fe80::/);
    assert.equal(await off(), "1\n1\n1\n");
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
  });

  it("puts it right when the administrator says so again, which takes the interface's routes away", async () => {
    await node.sysctl("n1", "net.ipv6.conf.all.disable_ipv6=0", "net.ipv6.conf.all.disable_ipv6=1");
    assert.deepEqual(await standing(), [ipv4Routes, ""]);
    assert.deepEqual((await pass()).repaired, [
      "sysctl -w net.ipv6.conf.vxlan228.disable_ipv6=0",
      "ip -6 route add 2001:db8:228::/64 dev vxlan228 table 228 protocol 118",
      "ip -6 route add default via fe80::1 dev vxlan228 table 228 protocol 118",
    ]);
    assert.deepEqual(await standing(), [ipv4Routes, ipv6Routes]);
    assert.equal(await off(), "1\n1\n1\n");
  });

  it("switches it off again where the network has no IPv6 subnet any more", async () => {
    const plan = await reconciler.plan(configuration(baseYaml));
    const [result] = (await reconciler.reconcile(plan)).networks;
    assert.deepEqual([result?.errors, result?.conflicts], [[], []]);
    assert.equal(await output("sysctl -n net.ipv6.conf.vxlan228.disable_ipv6"), "1\n");
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
  });
});

it("src_valid_mark, which marks need under strict rp_filter, is put back when rp_filter is not strict any more", async () => {
  const node = await startNode();
  const reconciler = RemoteReconciler.start(node, "n1");
  const marked = async (rpFilterAll: number) => {
    await node.sysctl("n1", `net.ipv4.conf.all.rp_filter=${rpFilterAll}`);
    const plan = await reconciler.plan(configuration(baseYaml));
    const [result] = (await reconciler.reconcile(plan)).networks;
    assert.deepEqual([result?.errors, result?.conflicts], [[], []]);
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
    return (await node.exec("n1", ["sysctl", "-n", "net.ipv4.conf.vxlan228.src_valid_mark"])).stdout;
  };
  try {
    assert.equal(await marked(1), "1\n");
    assert.equal(await marked(0), "0\n");
    await node.sysctl("n1", "net.ipv4.conf.default.src_valid_mark=1");
    assert.equal(await marked(2), "1\n");
    assert.equal(await marked(0), "1\n");
  } finally {
    await reconciler.end();
    await node.end();
  }
});
