import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration, startNode } from "./base-node.js";
import { RemoteReconciler } from "./remote-reconciler.js";

describe("forwarding entries from routes", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;
  const entries = async () => {
    const { stdout } = await node.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan228"]);
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trim())
      .toSorted();
  };

  before(async () => {
    node = await startNode();
    reconciler = RemoteReconciler.start(node, "n1");
    await reconciler.reconcile(await reconciler.plan(configuration(baseYaml)));
  });
  after(async () => {
    await reconciler?.end();
    await node?.end();
  });

  it("become one flood entry for each VTEP and one entry for each MAC", async () => {
    const applied = await reconciler.applyForwarding("vxlan228", {
      flood: ["10.0.7.19", "10.0.7.20"],
      hosts: [
        { mac: "02:00:00:00:00:aa", vtep: "10.0.7.19" },
        { mac: "02:00:00:00:00:bb", vtep: "10.0.7.20" },
      ],
      neighbours: [{ address: "203.0.113.1", mac: "02:00:00:00:00:aa" }],
    });
    assert.deepEqual(applied, {
      done: [
        "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.19 self permanent",
        "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.20 self permanent",
        "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self extern_learn",
        "bridge fdb replace 02:00:00:00:00:bb dev vxlan228 dst 10.0.7.20 self extern_learn",
      ],
      errors: [],
    });
    assert.deepEqual(await entries(), [
      "00:00:00:00:00:00 dst 10.0.7.19 self permanent",
      "00:00:00:00:00:00 dst 10.0.7.20 self permanent",
      "02:00:00:00:00:aa dst 10.0.7.19 self extern_learn permanent",
      "02:00:00:00:00:bb dst 10.0.7.20 self extern_learn permanent",
    ]);
  });

  it("move, appear and go by single commands; what the data plane or a person put there stays", async () => {
    await node.exec("n1", ["bridge", "fdb", "add", "02:00:00:00:00:cc", "dev", "vxlan228", "dst", "10.0.7.21"]);
    const applied = await reconciler.applyForwarding("vxlan228", {
      flood: ["10.0.7.20", "10.0.7.21"],
      hosts: [{ mac: "02:00:00:00:00:aa", vtep: "10.0.7.20" }],
      neighbours: [],
    });
    assert.deepEqual(applied, {
      done: [
        "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.21 self permanent",
        "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.20 self extern_learn",
        "bridge fdb del 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.19 self",
        "bridge fdb del 02:00:00:00:00:bb dev vxlan228 dst 10.0.7.20 self",
      ],
      errors: [],
    });
    assert.deepEqual(await entries(), [
      "00:00:00:00:00:00 dst 10.0.7.20 self permanent",
      "00:00:00:00:00:00 dst 10.0.7.21 self permanent",
      "02:00:00:00:00:aa dst 10.0.7.20 self extern_learn permanent",
      "02:00:00:00:00:cc dst 10.0.7.21 self permanent",
    ]);
  });

  it("follow changes by single commands, without a look at the others; a change of nothing known is not taken", async () => {
    const hosts = [
      { mac: "02:00:00:00:00:aa", vtep: "10.0.7.21" },
      { mac: "02:00:00:00:00:dd", vtep: "10.0.7.20" },
      { mac: "02:00:00:00:00:ee", vtep: undefined },
    ];
    assert.deepEqual(await reconciler.changeForwarding("vxlan228", { flood: [], hosts }), {
      done: [
        "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.21 self extern_learn",
        "bridge fdb replace 02:00:00:00:00:dd dev vxlan228 dst 10.0.7.20 self extern_learn",
      ],
      errors: [],
    });
    const back = {
      flood: [{ vtep: "10.0.7.22", wanted: true }],
      hosts: [
        { mac: "02:00:00:00:00:aa", vtep: "10.0.7.20" },
        { mac: "02:00:00:00:00:dd", vtep: undefined },
      ],
    };
    assert.deepEqual(await reconciler.changeForwarding("vxlan228", back), {
      done: [
        "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.22 self permanent",
        "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.20 self extern_learn",
        "bridge fdb del 02:00:00:00:00:dd dev vxlan228 dst 10.0.7.20 self",
      ],
      errors: [],
    });
    assert.deepEqual(await entries(), [
      "00:00:00:00:00:00 dst 10.0.7.20 self permanent",
      "00:00:00:00:00:00 dst 10.0.7.21 self permanent",
      "00:00:00:00:00:00 dst 10.0.7.22 self permanent",
      "02:00:00:00:00:aa dst 10.0.7.20 self extern_learn permanent",
      "02:00:00:00:00:cc dst 10.0.7.21 self permanent",
    ]);
    assert.equal(await reconciler.changeForwarding("vxlan9", back), undefined);
  });

  it("are compared with the kernel again after a change that failed", async () => {
    await node.exec("n1", ["bridge", "fdb", "del", "02:00:00:00:00:aa", "dev", "vxlan228", "dst", "10.0.7.20", "self"]);
    const gone = { flood: [], hosts: [{ mac: "02:00:00:00:00:aa", vtep: undefined }] };
    assert.deepEqual(await reconciler.changeForwarding("vxlan228", gone), {
      done: [],
      errors: ["bridge fdb del 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.20 self: ENOENT"],
    });
    await node.exec("n1", ["bridge", "fdb", "del", "00:00:00:00:00:00", "dev", "vxlan228", "dst", "10.0.7.22", "self"]);
    const back = { flood: [], hosts: [{ mac: "02:00:00:00:00:aa", vtep: "10.0.7.20" }] };
    assert.deepEqual((await reconciler.changeForwarding("vxlan228", back))?.done, [
      "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.22 self permanent",
      "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.20 self extern_learn",
    ]);
  });

  it("survive a comparison of the kernel with the plan, and the agent's restart", async () => {
    const held = await entries();
    const plan = await reconciler.plan(configuration(baseYaml));
    await reconciler.reconcile(plan);
    const successor = RemoteReconciler.start(node, "n1");
    await successor.reconcile(plan);
    await successor.end();
    assert.deepEqual(await entries(), held);
  });

  it("say what is wrong when the interface is not there", async () => {
    const { done, errors } = await reconciler.applyForwarding("vxlan9", {
      flood: ["10.0.7.19"],
      hosts: [],
      neighbours: [],
    });
    assert.deepEqual(done, []);
    assert.match(errors.join(), /Cannot find device "?vxlan9"?|Cannot find bridge device/);
  });
});

describe("a VXLAN network without BGP", () => {
  it("keeps its remotes when it changes to BGP until routes come, also when it had BGP before", async () => {
    const node = await startNode();
    const reconciler = RemoteReconciler.start(node, "n1");
    const flood = async () => (await node.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan228"])).stdout;
    const carry = async (yaml: string) => reconciler.reconcile(await reconciler.plan(configuration(yaml)));
    try {
      await carry(baseYaml);
      await reconciler.applyForwarding("vxlan228", { flood: ["10.0.7.19"], hosts: [], neighbours: [] });
      await carry(baseYaml.replace(/bgp: .*/, "remotes: [10.0.7.7]"));
      assert.equal(await flood(), "00:00:00:00:00:00 dst 10.0.7.7 self permanent\n");
      await carry(baseYaml);
      assert.equal(await flood(), "00:00:00:00:00:00 dst 10.0.7.7 self permanent\n");
      await reconciler.applyForwarding("vxlan228", { flood: [], hosts: [], neighbours: [] });
      assert.equal(await flood(), "");
    } finally {
      await reconciler.end();
      await node.end();
    }
  });

  it("floods to its remotes and learns; a remote that is dropped goes", async () => {
    const yaml = (remotes: string) => `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 300, nodeNet: 10.0.7.0/24, remotes: [${remotes}] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;
    const node = await startNode();
    const reconciler = RemoteReconciler.start(node, "n1");
    try {
      await reconciler.reconcile(await reconciler.plan(configuration(yaml("10.0.7.6, 10.0.7.7"))));
      const [link] = (await node.json("n1", "ip -d -j link show dev vxlan300")) as readonly {
        readonly linkinfo: { readonly info_data: { readonly learning: boolean } };
      }[];
      assert.equal(link?.linkinfo.info_data.learning, true);
      const flood = async () => (await node.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan300"])).stdout;
      assert.equal(
        await flood(),
        "00:00:00:00:00:00 dst 10.0.7.6 self permanent\n00:00:00:00:00:00 dst 10.0.7.7 self permanent\n",
      );
      const result = await reconciler.reconcile(await reconciler.plan(configuration(yaml("10.0.7.7"))));
      assert.deepEqual(result.networks[0]?.applied, [
        "bridge fdb del 00:00:00:00:00:00 dev vxlan300 dst 10.0.7.6 self",
      ]);
      assert.equal(await flood(), "00:00:00:00:00:00 dst 10.0.7.7 self permanent\n");
    } finally {
      await reconciler.end();
      await node.end();
    }
  });
});
