import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { configuration } from "./base-node.js";
import { FollowedNode } from "./followed-node.js";

/** @param subnets YAML of the subnets' pinned addresses, IPv4 and IPv6 */
const network = (ipv4: string, ipv6: string): string => `
podNetworks: []
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1${ipv4} }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1"${ipv6} }
`;
const pinned = network(
  ", staticAddresses: [{ address: 203.0.113.10, node: n1 }, { address: 203.0.113.11, node: n2 }]",
  ', staticAddresses: [{ address: "2001:db8:228::10", node: n1 }]',
);

/** `ip -oneline address show dev vxlan228`, without its link-local address and lifetimes. */
const installed = [
  "inet 203.0.113.10/32 metric 118118118 scope global noprefixroute vxlan228",
  "inet6 2001:db8:228::10/128 metric 118118118 scope global nodad noprefixroute",
];

/** Milliseconds; what each one took is printed. */
const longestRepair = 3_000;

describe("addresses that are pinned to the node", () => {
  let followed: FollowedNode;

  const addresses = async (): Promise<readonly string[]> =>
    (await followed.shell("ip -oneline address show dev vxlan228 scope global"))
      .split("\n")
      .flatMap((line) => /inet6? .*?(?=\s*\\)/.exec(line)?.[0].trimEnd() ?? []);

  before(async () => {
    followed = await FollowedNode.start([], pinned);
    // The gateway of the segment.
    await followed.node.ip(
      "outside",
      "address add 10.0.7.19/24 dev eth0",
      "link set eth0 mtu 1600",
      "link add vxlan228 type vxlan id 228 local 10.0.7.19 dstport 4789 remote 10.0.7.5",
      "address add 203.0.113.1/24 dev vxlan228",
      "address add 2001:db8:228::1/64 dev vxlan228 nodad",
      "link set vxlan228 up",
    );
  });
  after(() => followed?.end());

  it("stand on the interface, those of other nodes do not", async () => {
    assert.deepEqual(await addresses(), installed);
  });

  it("make no route outside the local table", async () => {
    const routes = await followed.shell("ip -4 route show table all; ip -6 route show table all");
    const lines = routes.split("\n").filter((line) => /203\.0\.113\.10|2001:db8:228::10/.test(line));
    assert.deepEqual(
      lines.map((line) => line.trim().replace(/ pref medium$/, "")),
      [
        "local 203.0.113.10 dev vxlan228 table local proto kernel scope host src 203.0.113.10",
        "local 2001:db8:228::10 dev vxlan228 table local proto kernel metric 0",
      ],
    );
  });

  it("D10: are answered for on the segment, by ARP and neighbour discovery, with the interface's MAC", async () => {
    const ping = (address: string) => followed.node.exec("outside", ["ping", "-c", "1", "-W", "2", address]);
    await ping("203.0.113.10");
    await ping("2001:db8:228::10");
    const mac = (await followed.shell("cat /sys/class/net/vxlan228/address")).trim();
    const { stdout } = await followed.node.exec("outside", ["ip", "neigh", "show", "dev", "vxlan228"]);
    for (const address of ["203.0.113.10", "2001:db8:228::10"]) {
      assert.match(stdout, new RegExp(`^${address} lladdr ${mac} `, "m"));
    }
    await assert.rejects(ping("203.0.113.11"));
  });

  for (const [what, command] of [
    ["the IPv4 address alone", "ip address del 203.0.113.10/32 dev vxlan228"],
    ["the IPv6 address alone", "ip -6 address del 2001:db8:228::10/128 dev vxlan228"],
    ["all addresses of the interface", "ip address flush dev vxlan228"],
    ["the IPv6 address, by a flap of the interface", "ip link set vxlan228 down; ip link set vxlan228 up"],
    ["the interface", "ip link del vxlan228"],
  ] as const) {
    it(`are put back: ${what}`, async () => {
      const took = await followed.repairAfter(command);
      console.log(`${what}: back ${took.toFixed(0)} ms after the command was started`);
      assert.ok(took < longestRepair, `${took} ms`);
      assert.deepEqual((await addresses()).toSorted(), installed);
    });
  }

  it("go when they are pinned no more; somebody else's stay", async () => {
    await followed.shell("ip address add 203.0.113.77/32 dev vxlan228 noprefixroute");
    const plan = await followed.reconciler.plan(configuration(network("", "")));
    await followed.reconciler.follow(plan);
    const { networks } = await followed.reconciler.reconcile(plan);
    assert.deepEqual(
      networks.flatMap(({ errors }) => errors),
      [],
    );
    assert.deepEqual(await addresses(), ["inet 203.0.113.77/32 scope global noprefixroute vxlan228"]);
  });
});
