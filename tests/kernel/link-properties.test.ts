import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isConverged, isUnchanged } from "../../agent-image/agent/kernel/index.js";
import {
  bridgeDamages,
  creationDamages,
  deviceDamages,
  ipv6TunnelDamages,
  type LinkDamage,
  portDamages,
  tunnelDamages,
} from "../support/link-damages.js";
import { configuration, startNode } from "./base-node.js";
import { FollowedNode } from "./followed-node.js";
import { RemoteReconciler } from "./remote-reconciler.js";

/**
 * Milliseconds. A repair shall stand within a second, and what each one took is printed; the bound leaves room for a machine
 * that runs other tests.
 */
const longestRepair = 3_000;

const yaml = (more: string) => `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] }${more} }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;

/** What is in the words of a damage and its repair before and after those of the property. */
interface Place {
  readonly device: string;
  readonly type: string;
  readonly damages: readonly LinkDamage[];
}

const tunnel: Place = {
  device: "vxlan228",
  type: "type vxlan id 228 local 10.0.7.5 nolearning ",
  damages: tunnelDamages,
};

const bridge = ", bridge: true";
const places: readonly (readonly [what: string, more: string, place: Place])[] = [
  ["a VXLAN interface", "", { device: "vxlan228", type: "", damages: deviceDamages }],
  ["a tunnel", "", tunnel],
  [
    "the interface of a bridge",
    bridge,
    // A bridge takes no protodown.
    { device: "br228", type: "", damages: deviceDamages.filter(({ property }) => property !== "proto_down") },
  ],
  ["a bridge", bridge, { device: "br228", type: "type bridge ", damages: bridgeDamages }],
  ["the interface of a port", bridge, { device: "vxlan228", type: "", damages: deviceDamages }],
  ["the tunnel of a port", bridge, tunnel],
  ["a port", bridge, { device: "vxlan228", type: "type bridge_slave ", damages: portDamages }],
];

// A node for each: repairs are slowed down after 20 of them.
for (const [what, more, { device, type, damages }] of places) {
  describe(`properties of ${what} that somebody changes are put back within a second`, () => {
    let followed: FollowedNode;
    before(async () => {
      followed = await FollowedNode.start([], yaml(more));
    });
    after(() => followed?.end());

    for (const { property, words, repair } of damages) {
      it(property, async () => {
        const seen = (await followed.reconciler.repairs()).length;
        const took = await followed.repairAfter(`ip link set dev ${device} ${type}${words}`);
        console.log(`${words}: back ${took.toFixed(0)} ms after the command was started`);
        assert.ok(took < longestRepair, `${took} ms`);
        const repairs = (await followed.reconciler.repairs()).slice(seen).flatMap(({ repaired }) => repaired);
        assert.ok(repairs.includes(`ip link set dev ${device} ${type}${repair}`), JSON.stringify(repairs));
      });
    }
  });
}

describe("a bridge's port that somebody disables", () => {
  it("forwards again", async () => {
    const followed = await FollowedNode.start([], yaml(", bridge: true"));
    try {
      // By the older interface: `ip link set … type bridge_slave state 0` leaves the port forwarding (measured on 6.18).
      const took = await followed.repairAfter("bridge link set dev vxlan228 state 0");
      assert.ok(took < longestRepair, `${took} ms`);
      const [repair] = await followed.reconciler.repairs();
      assert.deepEqual(repair?.repaired, ["ip link set dev vxlan228 type bridge_slave state 3"]);
    } finally {
      await followed.end();
    }
  });
});

describe("a tunnel of ours that somebody makes again in another form", () => {
  let followed: FollowedNode;
  before(async () => {
    followed = await FollowedNode.start([], yaml(""));
  });
  after(() => followed?.end());

  for (const { property, words } of creationDamages) {
    it(`is replaced: ${property}`, async () => {
      const made =
        "address 16:08:26:b3:ea:e1 mtu 1400 group 118118118 " +
        `type vxlan id 228 local 10.0.7.5 dstport 4789 nolearning ${words}`;
      const took = await followed.repairAfter(
        `ip link del vxlan228; ip link add vxlan228 ${made}; ip link set vxlan228 alias vlan-router:vxlan228 up`,
      );
      console.log(`${words}: replaced ${took.toFixed(0)} ms after the command was started`);
      assert.ok(took < longestRepair, `${took} ms`);
    });
  }
});

describe("a tunnel over IPv6", () => {
  it("is set to its own properties in place", async () => {
    const net = await startNode();
    await net.ip("n1", "address add fd00:7::5/64 dev eth0 nodad");
    const reconciler = RemoteReconciler.start(net, "n1");
    try {
      const plan = await reconciler.plan(
        configuration(`
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: "fd00:7::/64", remotes: ["fd00:7::9"] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`),
      );
      assert.ok(isConverged(await reconciler.reconcile(plan)));
      const type = "ip link set dev vxlan228 type vxlan id 228 local fd00:7::5 learning";
      for (const { property, words, repair } of ipv6TunnelDamages) {
        // The kernel wants an interface for a group, and none is left of it (see the test of `link`).
        if (property === "group6") continue;
        await net.exec("n1", `${type} ${words}`.split(" "));
        const { networks } = await reconciler.reconcile(plan);
        // The kernel puts a remote into the flood list too.
        assert.equal(networks[0]?.repaired[0], `${type} ${repair}`);
        assert.ok(isUnchanged(await reconciler.reconcile(plan)));
      }
    } finally {
      await reconciler.end();
      await net.end();
    }
  });
});
