import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration, startNode } from "./base-node.js";
import { takeCount } from "./public-segment.js";
import { RemoteReconciler } from "./remote-reconciler.js";

const VIP = "203.0.113.10";
const OTHER_VIP = "198.51.100.10";
const POD = "10.244.0.2";
const CLIENT = "192.0.2.9";

const networks = [
  `  - name: first
    type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.1] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`,
  `  - name: second
    type: vxlan
    vxlan: { vni: 240, nodeNet: 10.0.7.0/24, remotes: [10.0.7.1] }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`,
];
const file = (...entries: readonly string[]): string =>
  `podNetworks: [10.244.0.0/16, 10.96.0.0/16]\nnetworks:\n${entries.join("")}`;
const yaml = file(...networks);

/**
 * At the other end of eth0, where the default gateway is. Behind UDP's header and VXLAN's lies the Ethernet frame (RFC 7348
 * section 5): its type tells the kernel's own talk in IPv6 from packets.
 */
const DOOR = `
table inet door {
  counter pods {}
  counter tunnelled {}
  chain arrivals { type filter hook prerouting priority -400;
    ip saddr ${POD} counter name pods
    udp dport 4789 @th,224,16 != 0x86dd counter name tunnelled
  }
}
`;

describe("where a node with two public networks sends its packets", () => {
  let net: TestNamespaces;
  const reconcilers = new Map<string, RemoteReconciler>();

  const output = async (place: string, command: string): Promise<string> =>
    (await net.exec(place, command.split(" "))).stdout;
  /** The kernel's own answer, without its cache's details: `via 10.0.7.1 dev eth0`. */
  const route = async (place: string, question: string): Promise<string> => {
    const [line = ""] = (await output(place, `ip route get ${question}`)).split("\n");
    const via = /( via \S+)? dev \S+/.exec(line)?.[0].trim() ?? line;
    return line.startsWith("local ") ? `local ${via}` : via;
  };
  const carry = async (place: string, text: string): Promise<void> => {
    const reconciler = reconcilers.get(place);
    assert.ok(reconciler);
    const plan = await reconciler.plan(configuration(text));
    assert.deepEqual(plan.unplanned, []);
    const { node, networks: results } = await reconciler.reconcile(plan);
    assert.deepEqual(
      [node, ...results].flatMap(({ errors }) => errors),
      [],
    );
  };
  const restart = async (place: string): Promise<void> => {
    await reconcilers.get(place)?.end();
    reconcilers.set(place, RemoteReconciler.start(net, place));
  };

  before(async () => {
    net = await startNode(["n2", "pod"]);
    await net.connect("n1", "cni0", "pod", "eth0");
    await net.connect("n2", "eth0", "outside", "n2");
    await net.ip(
      "n1",
      "address add 10.244.0.1/24 dev cni0",
      `address add ${VIP}/32 dev lo`,
      `address add ${OTHER_VIP}/32 dev lo`,
    );
    await net.ip("pod", `address add ${POD}/24 dev eth0`, "route add default via 10.244.0.1");
    await net.ip("n2", "link set eth0 mtu 1600", "address add 10.0.7.6/24 dev eth0", "route add default via 10.0.7.1");
    await net.ip("outside", "address add 10.0.7.1/24 dev eth0");
    await net.sysctl("n1", "net.ipv4.ip_forward=1");
    await net.nft("outside", DOOR);
    for (const place of ["n1", "n2"]) {
      await restart(place);
      await carry(place, yaml);
    }
  });
  after(async () => {
    for (const reconciler of reconcilers.values()) await reconciler.end();
    await net?.end();
  });

  describe("A4: from a public address", () => {
    for (const [what, to, expected] of [
      ["a pod", POD, "dev cni0"],
      ["a service", "10.96.0.1", "via 10.0.7.1 dev eth0"],
      ["another node", "10.0.7.6", "dev eth0"],
      ["a client", CLIENT, "via 203.0.113.1 dev vxlan228"],
      // Not by a connected route of the second network.
      ["a client in the second network", "198.51.100.20", "via 203.0.113.1 dev vxlan228"],
    ] as const) {
      it(`A4: to ${what}: ${expected}`, async () => assert.equal(await route("n1", `${to} from ${VIP}`), expected));
    }

    it("A4: the second network's clients in the first are reached by its own gateway", async () => {
      assert.equal(await route("n1", `203.0.113.20 from ${OTHER_VIP}`), "via 198.51.100.1 dev vxlan240");
    });

    it("A4: without the exceptions the pod and the node would be sought behind the public gateway", async () => {
      await net.exec("n1", ["sh", "-c", "while ip rule del priority 3000 2>/dev/null; do :; done"]);
      for (const to of [POD, "10.0.7.6"]) {
        assert.equal(await route("n1", `${to} from ${VIP}`), "via 203.0.113.1 dev vxlan228");
      }
      await carry("n1", yaml);
      assert.equal(await route("n1", `${POD} from ${VIP}`), "dev cni0");
    });
  });

  describe("A7: rules", () => {
    it("A7: are each there once and in one order after three restarts and another order in the file", async () => {
      const listed = async () => (await output("n1", "ip rule")).split("\n").toSorted();
      const rules = await listed();
      assert.equal(new Set(rules).size, rules.length);
      for (let start = 0; start < 3; start++) {
        await restart("n1");
        await carry("n1", yaml);
      }
      await carry("n1", file(...networks.toReversed()));
      assert.deepEqual(await listed(), rules);
      assert.deepEqual(
        rules.filter((rule) => !rule.includes("proto 118") && rule !== "").map((rule) => rule.split(":")[0]),
        ["0", "32766", "32767"],
      );
    });

    it("A7: come after the local table, where Cilium has moved it too", async () => {
      assert.equal(await route("n1", `10.0.7.5 from ${VIP}`), "local dev lo");
      await net.ip("n1", "rule add priority 100 lookup local", "rule del priority 0 lookup local");
      await restart("n1");
      await carry("n1", yaml);
      assert.equal(await route("n1", `10.0.7.5 from ${VIP}`), "local dev lo");
      assert.equal(await route("n1", `${OTHER_VIP} from ${VIP}`), "local dev lo");
      assert.equal(await route("n1", `${CLIENT} from ${VIP}`), "via 203.0.113.1 dev vxlan228");
    });
  });

  it("A8: a node that holds no address has the same rules and tables as the one that does", async () => {
    for (const command of ["ip rule show priority 3000", "ip rule show priority 3900", "ip rule show priority 4016"]) {
      const sorted = async (place: string) => (await output(place, command)).split("\n").toSorted();
      assert.deepEqual(await sorted("n2"), await sorted("n1"));
    }
    for (const table of [228, 240]) {
      assert.equal(
        await output("n2", `ip route show table ${table}`),
        await output("n1", `ip route show table ${table}`),
      );
    }
    // The reply of a backend there, whoever announced the address.
    await net.ip("n2", `address add ${VIP}/32 dev lo`);
    assert.equal(await route("n2", `${CLIENT} from ${VIP}`), "via 203.0.113.1 dev vxlan228");
  });

  describe("A10: a pod's own connections", () => {
    it("A10: leave by the main table and not by a public network", async () => {
      await takeCount(net, "outside", "door", "pods");
      await takeCount(net, "outside", "door", "tunnelled");
      await net.exec("pod", ["ping", "-q", "-c", "2", "-i", "0.1", "-W", "1", CLIENT], { check: false });
      assert.equal(await takeCount(net, "outside", "door", "pods"), 2);
      assert.equal(await takeCount(net, "outside", "door", "tunnelled"), 0);
    });

    it("A10: are an egress gateway's to steer, by rules behind ours and by marks outside our mask", async () => {
      await net.ip(
        "n1",
        "route add default via 10.0.7.6 table 500",
        `rule add priority 5000 from ${POD} lookup 500`,
        "rule add priority 5001 fwmark 0x40000000/0x40000000 lookup 500",
      );
      assert.equal(await route("n1", `${CLIENT} from ${POD} iif cni0`), "via 10.0.7.6 dev eth0");
      assert.equal(await route("n1", `${CLIENT} from 10.244.0.3 iif cni0`), "via 10.0.7.1 dev eth0");
      assert.equal(await route("n1", `${CLIENT} from 10.244.0.3 iif cni0 mark 0x40000000`), "via 10.0.7.6 dev eth0");
    });
  });
});
