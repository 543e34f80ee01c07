import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration, startNode } from "./base-node.js";
import { KernelEvents } from "./kernel-events.js";
import { RemoteReconciler } from "./remote-reconciler.js";

interface Settings {
  readonly vni?: number;
  readonly cidr?: string;
  readonly gateway?: string;
  readonly podNetworks?: string;
  readonly name?: string;
}

/** Two VXLAN networks; the second never changes and must not notice what happens to the first. */
function yaml({
  vni = 228,
  cidr = "203.0.113.0/24",
  gateway = "203.0.113.1",
  podNetworks = "10.244.0.0/16",
  name = "first",
}: Settings): string {
  return `
podNetworks: [${podNetworks}]
networks:
  - name: ${name}
    type: vxlan
    vxlan: { vni: ${vni}, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: ${cidr}, gateway: ${gateway} }
${SECOND}`;
}

/** What was first stands last. */
function reordered(): string {
  const first = yaml({}).slice(yaml({}).indexOf("  - name: first"), yaml({}).indexOf(SECOND));
  return yaml({}).replace(first, "") + first;
}

const SECOND = `\
  - name: second
    type: vxlan
    vxlan: { vni: 240, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;

describe("from one generation of the configuration to the next", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;
  let events: KernelEvents;

  const change = async (text: string): Promise<Record<string, readonly string[]>> => {
    const result = await reconciler.reconcile(await reconciler.plan(configuration(text)));
    for (const { errors } of [result.node, ...result.networks]) assert.deepEqual(errors, []);
    return Object.fromEntries([
      ["node", result.node.applied],
      ...result.networks.map(({ network, applied, repaired }) => [network, [...applied, ...repaired]] as const),
    ]);
  };

  beforeEach(async () => {
    node = await startNode();
    reconciler = RemoteReconciler.start(node, "n1");
    await change(yaml({}));
    events = await KernelEvents.start(node, "n1");
  });
  afterEach(async () => {
    await events?.end();
    await reconciler?.end();
    await node?.end();
  });

  it("E6: a new gateway replaces one route, and the kernel tells of nothing else", async () => {
    assert.deepEqual(await change(yaml({ gateway: "203.0.113.254" })), {
      node: [],
      first: ["ip -4 route replace default via 203.0.113.254 dev vxlan228 table 228 protocol 118"],
      second: [],
    });
    assert.deepEqual(await events.take(), ["default via 203.0.113.254 dev vxlan228 table 228 proto 118"]);
  });

  it("E6: another order in the file changes nothing", async () => {
    assert.notEqual(reordered(), yaml({}));
    assert.deepEqual(await change(reordered()), { node: [], first: [], second: [] });
    assert.deepEqual(await events.take(), []);
  });

  it("E6: another pod network adds its exceptions, and the kernel tells of nothing else", async () => {
    assert.deepEqual(await change(yaml({ podNetworks: "10.244.0.0/16, 10.96.0.0/16" })), {
      node: [],
      first: [
        "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark 0x10/0x3ff0 protocol 118 lookup main",
        "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      ],
      second: [
        "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark 0x20/0x3ff0 protocol 118 lookup main",
        "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      ],
    });
    assert.deepEqual((await events.take()).toSorted(), [
      "3000:\tfrom 198.51.100.0/24 to 10.96.0.0/16 lookup main proto 118",
      "3000:\tfrom 203.0.113.0/24 to 10.96.0.0/16 lookup main proto 118",
      "3000:\tfrom all to 10.96.0.0/16 fwmark 0x10/0x3ff0 lookup main proto 118",
      "3000:\tfrom all to 10.96.0.0/16 fwmark 0x20/0x3ff0 lookup main proto 118",
    ]);
  });

  it("another prefix comes before the old one goes, so that no packet meets a gap", async () => {
    assert.deepEqual(await change(yaml({ cidr: "203.0.113.0/25" })), {
      node: ["nft replace table inet vlan_router"],
      first: [
        "ip -4 rule add priority 3000 from 203.0.113.0/25 to 10.0.7.0/24 protocol 118 lookup main",
        "ip -4 rule add priority 3000 from 203.0.113.0/25 to 10.244.0.0/16 protocol 118 lookup main",
        "ip -4 rule add priority 4014 from 203.0.113.0/25 protocol 118 lookup 228",
        "ip -4 rule add priority 4015 from 203.0.113.0/25 protocol 118 unreachable",
        "ip -4 route add 203.0.113.0/25 dev vxlan228 table 228 protocol 118 scope link",
        "ip -4 rule del priority 4017 from 203.0.113.0/24 protocol 118 unreachable",
        "ip -4 rule del priority 4016 from 203.0.113.0/24 protocol 118 lookup 228",
        "ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.0.7.0/24 protocol 118 lookup main",
        "ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.244.0.0/16 protocol 118 lookup main",
        "ip -4 route del 203.0.113.0/24 table 228 protocol 118",
      ],
      second: [],
    });
  });

  it("a new name changes the alias alone", async () => {
    assert.deepEqual(await change(yaml({ name: "renamed" })), {
      node: [],
      renamed: ["ip link set dev vxlan228 alias vlan-router:renamed"],
      second: [],
    });
  });

  it("another VNI leaves nothing of the old one, also when the agent was dead meanwhile", async () => {
    await reconciler.end();
    reconciler = RemoteReconciler.start(node, "n1");
    const applied = await change(yaml({ vni: 229 }));
    assert.deepEqual(applied.second, []);
    const { stdout } = await node.exec("n1", [
      "sh",
      "-c",
      "ip -d link; ip rule; ip route show table all; nft list ruleset",
    ]);
    assert.match(stdout, /vxlan229/);
    assert.doesNotMatch(stdout, /228/);
  });

  it("E6: a removed network is gone: rules, routes, interface; the kernel tells of nothing of the other", async () => {
    const index = async () => (await node.exec("n1", ["cat", "/sys/class/net/vxlan240/ifindex"])).stdout;
    const before = await index();
    const applied = await change(`podNetworks: [10.244.0.0/16]\nnetworks:\n${SECOND}`);
    assert.deepEqual(applied, {
      node: [
        "ip -4 route del default table 228 protocol 118",
        "ip -4 route del 203.0.113.0/24 table 228 protocol 118",
        "ip link del dev vxlan228",
        "nft replace table inet vlan_router",
        "ip -4 rule del priority 4017 from 203.0.113.0/24 protocol 118 unreachable",
        "ip -4 rule del priority 4016 from 203.0.113.0/24 protocol 118 lookup 228",
        "ip -4 rule del priority 3901 fwmark 0x10/0x3ff0 protocol 118 unreachable",
        "ip -4 rule del priority 3900 fwmark 0x10/0x3ff0 protocol 118 lookup 228",
        "ip -4 rule del priority 3000 to 10.0.7.0/24 fwmark 0x10/0x3ff0 protocol 118 lookup main",
        "ip -4 rule del priority 3000 to 10.244.0.0/16 fwmark 0x10/0x3ff0 protocol 118 lookup main",
        "ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.0.7.0/24 protocol 118 lookup main",
        "ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      ],
      second: [],
    });
    const told = await events.takeByMonitor();
    assert.deepEqual(told.ip.slice(0, 2), [
      "Deleted default via 203.0.113.1 dev vxlan228 table 228 proto 118",
      "Deleted 203.0.113.0/24 dev vxlan228 table 228 proto 118 scope link",
    ]);
    assert.match(told.ip.slice(2, -8).join("\n"), /^Deleted \d+: vxlan228: /m);
    assert.deepEqual(told.ip.slice(-8), [
      "Deleted 4017:\tfrom 203.0.113.0/24 unreachable proto 118",
      "Deleted 4016:\tfrom 203.0.113.0/24 lookup 228 proto 118",
      "Deleted 3901:\tfrom all fwmark 0x10/0x3ff0 unreachable proto 118",
      "Deleted 3900:\tfrom all fwmark 0x10/0x3ff0 lookup 228 proto 118",
      "Deleted 3000:\tfrom all to 10.0.7.0/24 fwmark 0x10/0x3ff0 lookup main proto 118",
      "Deleted 3000:\tfrom all to 10.244.0.0/16 fwmark 0x10/0x3ff0 lookup main proto 118",
      "Deleted 3000:\tfrom 203.0.113.0/24 to 10.0.7.0/24 lookup main proto 118",
      "Deleted 3000:\tfrom 203.0.113.0/24 to 10.244.0.0/16 lookup main proto 118",
    ]);
    // The nft table of the node is another matter: it is replaced whole, in one transaction.
    assert.deepEqual(
      [...told.ip, ...told.bridge].filter((line) => /vxlan240|(lookup|table) 240|198\.51\.100|0x20\//.test(line)),
      [],
    );
    assert.equal(await index(), before);
    const { stdout } = await node.exec("n1", [
      "sh",
      "-c",
      "ip link; ip rule; ip route show table all; nft list ruleset",
    ]);
    assert.doesNotMatch(stdout, /228|203\.0\.113/);
  });

  it("a network that cannot be planned now keeps what it has, its segment filter included", async () => {
    await node.ip("n1", "address del 10.0.7.5/24 dev eth0");
    const plan = await reconciler.plan(configuration(yaml({})));
    assert.deepEqual(
      plan.unplanned.map(({ network, condition }) => [network, condition.reason]),
      [
        ["first", "NoVtepAddress"],
        ["second", "NoVtepAddress"],
      ],
    );
    const { stdout: before } = await node.exec("n1", [
      "sh",
      "-c",
      "ip link; ip rule; ip route show table 228; nft list ruleset",
    ]);
    const result = await reconciler.reconcile(plan);
    assert.deepEqual([result.node.applied, result.node.repaired, result.networks], [[], [], []]);
    const { stdout: after } = await node.exec("n1", [
      "sh",
      "-c",
      "ip link; ip rule; ip route show table 228; nft list ruleset",
    ]);
    assert.equal(after, before);
  });
});

describe("foreign objects in the way", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;
  let plan: NodePlan;
  const conflictsOf = async () => {
    const { networks } = await reconciler.reconcile(plan);
    return networks.flatMap(({ conflicts }) => conflicts.map(({ message }) => message));
  };
  const text = yaml({});

  beforeEach(async () => {
    node = await startNode();
    reconciler = RemoteReconciler.start(node, "n1");
    plan = await reconciler.plan(configuration(text));
  });
  afterEach(async () => {
    await reconciler?.end();
    await node?.end();
  });

  it("its prefix is answered by the guard, and never by the main table, while another has its segment or its name", async () => {
    const answer = async () =>
      (await node.exec("n1", ["sh", "-c", "ip route get 192.0.2.9 from 203.0.113.9 2>&1 || true"])).stdout.trim();
    await node.ip("n1", "address add 203.0.113.9/32 dev lo");
    const main = "192.0.2.9 from 203.0.113.9 via 10.0.7.1 dev eth0";
    assert.match(await answer(), new RegExp(`^${main}`));
    await node.ip("n1", "link add other type vxlan id 228 local 10.0.7.5 dstport 4789");
    assert.equal((await conflictsOf()).length, 1);
    assert.equal(await answer(), "RTNETLINK answers: Network is unreachable");
    await node.ip("n1", "link del other", "link add vxlan228 type bridge");
    await reconciler.cleanUp();
    assert.match(await answer(), new RegExp(`^${main}`));
    plan = await reconciler.plan(configuration(text));
    assert.deepEqual(
      plan.unplanned.map(({ condition }) => condition.reason),
      ["ForeignInterface"],
    );
    await conflictsOf();
    assert.equal(await answer(), "RTNETLINK answers: Network is unreachable");
    await node.ip("n1", "link del vxlan228");
    plan = await reconciler.plan(configuration(text));
    assert.deepEqual(await conflictsOf(), []);
    assert.match(await answer(), /via 203.0.113.1 dev vxlan228 table 228/);
  });

  it("E8: a route in our table stays, and ours is missing until it goes", async () => {
    await node.ip("n1", "route add default via 10.0.7.9 table 228");
    const message =
      "table 228 holds another program's route default via 10.0.7.9 dev eth0 (protocol 3); remove it or set routing.table";
    const onlyGuard =
      "no rule looks up table 228 while another program's IPv4 default route is in it: packets of this network are answered " +
      'with "unreachable"; see it with: ip -4 route show table 228';
    assert.deepEqual(await conflictsOf(), [onlyGuard, message]);
    assert.deepEqual(await conflictsOf(), [onlyGuard, message]);
    const rules = async () => (await node.exec("n1", ["ip", "rule"])).stdout;
    assert.doesNotMatch(await rules(), /lookup 228/);
    assert.match(await rules(), /^4017:\tfrom 203.0.113.0\/24 unreachable proto 118$/m);
    assert.match(
      (await node.exec("n1", ["ip", "route", "show", "table", "228"])).stdout,
      /^default via 10.0.7.9 dev eth0 $/m,
    );
    await node.ip("n1", "route del default via 10.0.7.9 table 228");
    assert.deepEqual(await conflictsOf(), []);
    assert.match((await node.exec("n1", ["ip", "route", "show", "table", "228"])).stdout, /^default via 203.0.113.1 /m);
    assert.match(await rules(), /^4016:\tfrom 203.0.113.0\/24 lookup 228 proto 118$/m);
    await node.ip("n1", "route replace default via 10.0.7.9 table 228");
    assert.deepEqual(await conflictsOf(), [onlyGuard, message]);
    assert.doesNotMatch(await rules(), /lookup 228/);
  });

  it("E8: a route beside ours in our table is named and stays, and ours are there", async () => {
    await node.ip("n1", "route add 10.0.0.0/8 via 10.0.7.9 table 228");
    assert.deepEqual(await conflictsOf(), [
      "table 228 holds another program's route 10.0.0.0/8 via 10.0.7.9 dev eth0 (protocol 3); remove it or set routing.table",
    ]);
    const routes = (await node.exec("n1", ["ip", "route", "show", "table", "228"])).stdout;
    assert.match(routes, /^10.0.0.0\/8 via 10.0.7.9 dev eth0 $/m);
    assert.match(routes, /^default via 203.0.113.1 /m);
    await node.ip("n1", "route del 10.0.0.0/8 table 228");
    assert.deepEqual(await conflictsOf(), []);
  });

  it("E8: an earlier rule that takes our packets is named and stays; one that leads nowhere is not named", async () => {
    const rules = ["1500:\tfrom 203.0.113.0/25 lookup 99", "1600:\tfrom all lookup 98", "220:\tfrom all lookup 220"];
    await node.ip(
      "n1",
      "address add 203.0.113.130/32 dev lo",
      "route add default via 10.0.7.9 table 98",
      "rule add priority 1500 from 203.0.113.0/25 lookup 99",
      "rule add priority 1600 from all lookup 98",
      // strongSwan's, whose table has no default route.
      "rule add priority 220 from all lookup 220",
    );
    const conflicts = await conflictsOf();
    assert.deepEqual(conflicts, [
      "another program's rule (protocol 0) at priority 1500 from 203.0.113.0/25 lookup 99 takes packets from 203.0.113.0/24 " +
        "before ours at 4016; remove it or move it behind 4257",
      "another program's rule (protocol 0) at priority 1600 from all lookup 98 takes packets from 203.0.113.0/24 " +
        "before ours at 4016; remove it or move it behind 4257",
      "another program's rule (protocol 0) at priority 1600 from all lookup 98 takes packets from 198.51.100.0/24 " +
        "before ours at 4016; remove it or move it behind 4257",
    ]);
    // The kernel agrees: it does not use our table for a packet from our prefix.
    const way = (await node.exec("n1", ["ip", "route", "get", "192.0.2.9", "from", "203.0.113.130"])).stdout;
    assert.match(way, /via 10.0.7.9 dev eth0/);
    const listed = (await node.exec("n1", ["ip", "rule"])).stdout.split("\n").map((line) => line.trimEnd());
    assert.deepEqual(
      rules.filter((rule) => !listed.includes(rule)),
      [],
    );
  });

  it("E8: what stands at our priorities, in our table, or is missing, stays so through all that a network does", async () => {
    await node.ip(
      "n1",
      "rule add priority 4016 from 203.0.113.0/24 lookup 99",
      "rule add priority 3000 from 203.0.113.0/24 to 10.244.0.0/16 lookup 99",
      "rule add priority 3901 fwmark 0x10/0x3ff0 lookup 99",
      "route add 10.0.0.0/8 via 10.0.7.9 table 228",
      // The rule of the main table. Who removes it routes by others alone.
      "rule del priority 32766",
    );
    await node.exec("n1", [
      "sh",
      "-e",
      "-c",
      "ip -6 rule add priority 4016 from 2001:db8::/64 lookup 99; ip -6 rule del priority 32766",
    ]);
    const foreign = async () =>
      (await node.exec("n1", ["sh", "-c", "ip rule; ip -6 rule; ip route show table 228"])).stdout;
    const before = await foreign();
    const events = await KernelEvents.start(node, "n1");
    for (const next of [plan, await reconciler.plan(configuration(yaml({ gateway: "203.0.113.254" })))]) {
      const { networks } = await reconciler.reconcile(next);
      assert.deepEqual(
        networks.flatMap(({ errors }) => errors),
        [],
      );
      const listed = (await foreign()).split("\n");
      assert.deepEqual(
        before.split("\n").filter((line) => !listed.includes(line)),
        [],
      );
    }
    assert.deepEqual((await reconciler.reconcile({ networks: [], unplanned: [] })).node.errors, []);
    assert.deepEqual((await reconciler.cleanUp()).errors, []);
    assert.equal(await foreign(), before);
    const told = await events.take();
    await events.end();
    assert.ok(told.some((line) => line === "4016:\tfrom 203.0.113.0/24 lookup 228 proto 118"));
    assert.deepEqual(
      told.filter((line) => /lookup 99|10\.0\.0\.0\/8|32766|lookup (local|default)/.test(line)),
      [],
    );
  });

  it("an interface with our name and no alias is refused and not touched", async () => {
    await node.ip("n1", "link add vxlan228 type veth peer name other");
    const before = (await node.exec("n1", ["ip", "-d", "link", "show", "dev", "vxlan228"])).stdout;
    assert.deepEqual(await conflictsOf(), [
      "interface vxlan228 exists and was not made by this agent; remove it or choose another segment",
    ]);
    assert.equal((await node.exec("n1", ["ip", "-d", "link", "show", "dev", "vxlan228"])).stdout, before);
    // The other network of the same file is carried all the same.
    assert.match(
      (await node.exec("n1", ["ip", "route", "show", "table", "240"])).stdout,
      /^default via 198.51.100.1 /m,
    );
  });

  it("a VXLAN interface with our VNI and port under another name is named", async () => {
    await node.ip("n1", "link add tunnel type vxlan id 228 dstport 4789 local 10.0.7.5");
    assert.deepEqual(await conflictsOf(), [
      "VNI 228 on port 4789 belongs to interface tunnel, which was not made by this agent; remove tunnel first",
    ]);
  });

  it("E8: a rule for the same packets at our priority is named and stays", async () => {
    await node.ip("n1", "rule add priority 4016 from 203.0.113.0/24 lookup 99");
    assert.deepEqual(await conflictsOf(), [
      "another program (protocol 0) has a rule at priority 4016 from 203.0.113.0/24; remove it",
    ]);
    assert.match((await node.exec("n1", ["ip", "rule"])).stdout, /^4016:\tfrom 203.0.113.0\/24 lookup 99$/m);
  });

  it("a network that fails does not disturb the others", async () => {
    // A VXLAN interface takes 65535 at most.
    const { networks } = await reconciler.reconcile({
      ...plan,
      networks: plan.networks.map((network) =>
        network.network === "first" ? { ...network, link: { ...network.link, mtu: 100_000 } } : network,
      ),
    });
    assert.deepEqual(
      networks.map(({ network, errors }) => [network, errors.length]),
      [
        ["first", 1],
        ["second", 0],
      ],
    );
    assert.match(
      networks[0]?.errors[0] ?? "",
      /^ip link add name vxlan228 .*: Error: MTU must be between 68 and 65535/,
    );
    const { stdout } = await node.exec("n1", ["sh", "-c", "ip -br link; ip route show table all"]);
    assert.doesNotMatch(stdout, /vxlan228|table 228/);
    assert.match(stdout, /^default via 198.51.100.1 dev vxlan240 table 240 /m);
    // Its mark is set already, and without the interface its guard keeps such replies out of the main table.
    const rules = (await node.exec("n1", ["ip", "rule", "show"])).stdout.split("\n");
    const [mark = "none"] = rules.flatMap((rule) => /fwmark (\S+) lookup 228/.exec(rule)?.[1] ?? []);
    assert.ok(rules.includes(`3901:\tfrom all fwmark ${mark} unreachable proto 118`), rules.join("\n"));
  });
});
