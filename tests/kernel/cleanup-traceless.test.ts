import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { seed } from "../support/seed.js";
import { startNode } from "./base-node.js";
import { type WholeKernelState, wholeKernelState } from "./whole-kernel-state.js";

interface Case {
  readonly name: string;
  readonly yaml: string;
  /** Names of the networks that are carried. */
  readonly networks: readonly string[];
  /** Setting of the node, which is the administrator's. */
  readonly rpFilterAll?: 1 | 2;
  /** What only this configuration leaves in the kernel while it stands, as the whole state's lines show it. */
  readonly stands: readonly RegExp[];
  /** What happens before the agent ends: a newer configuration, or somebody else's hands. */
  readonly afterwards?: { readonly yaml: string } | { readonly script: string };
}

const bgp = "bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] }";

/** @param networks each without its indentation and dash */
const file = (...networks: readonly string[]): string =>
  ['podNetworks: [10.244.0.0/16, "fd00:244::/56"]', "networks:", ...networks.map((text) => `  - ${text}`), ""].join(
    "\n",
  );

const first = (vxlan: string, routing: string): string =>
  `{ name: first, type: vxlan, vxlan: { vni: 228, nodeNet: 10.0.7.0/24, ${vxlan} }, routing: ${routing} }`;
const subnet = "{ cidr: 203.0.113.0/24, gateway: 203.0.113.1 }";
const second = `{ name: second, type: vxlan, vxlan: { vni: 240, nodeNet: 10.0.7.0/24, ${bgp} }, routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 } }`;
const successor = `{ name: successor, type: vxlan, vxlan: { vni: 250, nodeNet: 10.0.7.0/24, ${bgp} }, routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.254, replaces: first } }`;
const third = `{ name: third, type: vxlan, vxlan: { vni: 250, nodeNet: 10.0.7.0/24, ${bgp} }, routing: { cidr: 192.0.2.0/24, gateway: 192.0.2.1 } }`;

const cases: readonly Case[] = [
  {
    // Its VLAN network has no parent here; the virtual machine's tests have one.
    name: "the seed's file",
    yaml: seed,
    networks: ["vxlan228"],
    stands: [/^4016:\tfrom 203\.0\.113\.0\/24 lookup 228 /, /^net\.ipv4\.conf\.vxlan228\.rp_filter = 0$/],
  },
  {
    name: "remotes and learning",
    yaml: file(first("remotes: [10.0.7.19, 10.0.7.20], port: 4790, mtu: 1400", subnet)),
    networks: ["first"],
    stands: [/^00:00:00:00:00:00 dev vxlan228 dst 10\.0\.7\.20 self permanent$/],
  },
  {
    name: "vxlan.bridge",
    yaml: file(first(`bridge: true, ${bgp}`, subnet)),
    networks: ["first"],
    stands: [/^vxlan228 master: "br228"$/, /^net\.ipv4\.conf\.br228\.rp_filter = 0$/],
  },
  {
    name: "static addresses of both families",
    yaml: file(
      first(
        bgp,
        '[{ cidr: 203.0.113.0/24, gateway: 203.0.113.1, staticAddresses: [{ address: 203.0.113.10, node: n1 }] }, { cidr: "2001:db8:228::/64", gateway: "fe80::1", staticAddresses: [{ address: "2001:db8:228::10", node: n1 }] }]',
      ),
    ),
    networks: ["first"],
    stands: [/203\.0\.113\.10/, /2001:db8:228::10/],
  },
  {
    name: "both families, two subnets of one with a table of their own, onlink, no marks",
    yaml: file(
      first(
        bgp,
        `[${subnet}, { cidr: 192.0.2.0/28, gateway: 10.9.9.9, onlink: true, table: 1228, returnPath: source }, { cidr: "2001:db8:228::/64", gateway: "fe80::1" }]`,
      ),
    ),
    networks: ["first"],
    stands: [
      /^default via 10\.9\.9\.9 dev vxlan228 table 1228 .*onlink/,
      /^4128:\tfrom 2001:db8:228::\/64 lookup 228 /,
    ],
  },
  {
    name: "a VTEP with IPv6",
    yaml: file(
      `{ name: first, type: vxlan, vxlan: { vni: 228, nodeNet: "2001:db8:7::/64", remotes: ["2001:db8:7::19"] }, routing: ${subnet} }`,
    ),
    networks: ["first"],
    stands: [/^vxlan228 linkinfo info_data local6: "2001:db8:7::5"$/],
  },
  {
    name: "a network that replaces another",
    yaml: file(first(bgp, subnet), second, successor),
    networks: ["first", "second", "successor"],
    stands: [/^4016:\tfrom 203\.0\.113\.0\/24 lookup 250 /, /^203\.0\.113\.0\/24 dev vxlan228 table 228 /],
  },
  ...([1, 2] as const).map(
    (rpFilterAll): Case => ({
      name: `rp_filter ${rpFilterAll} of all, where our interface validates by the mark`,
      yaml: file(first(bgp, subnet), second),
      networks: ["first", "second"],
      rpFilterAll,
      stands: [/^net\.ipv4\.conf\.vxlan228\.src_valid_mark = 1$/],
    }),
  ),
  {
    name: "an older generation before this one",
    yaml: file(first(`bridge: true, ${bgp}`, subnet), third),
    networks: ["first", "third"],
    stands: [/^4016:\tfrom 192\.0\.2\.0\/24 lookup 250 /],
    afterwards: { yaml: file(second) },
  },
  {
    name: "interfaces that somebody renamed, and gave another alias",
    yaml: file(first(bgp, subnet), second),
    networks: ["first", "second"],
    stands: [/^vxlan240 ifalias: "vlan-router:second"$/],
    afterwards: {
      script:
        "ip link set vxlan228 down; ip link set vxlan228 name mine; ip link set vxlan240 alias theirs; ip rule del priority 4017 from 203.0.113.0/24",
    },
  },
];

/** Of others, of every kind that we have too, with numbers beside ours. */
const foreign = `
ip link add foreign type vxlan id 9 dstport 8472 local 10.0.7.5
ip link set foreign up alias "of somebody"
bridge fdb append 00:00:00:00:00:00 dev foreign dst 10.0.7.30
ip link add br0 type bridge
ip link set br0 up
ip rule add priority 4016 from 192.0.2.128/25 lookup 99
ip rule add priority 3000 fwmark 0x10000/0x10000 lookup 99
ip -6 rule add priority 4017 from 2001:db8:99::/64 unreachable
ip route add default via 10.0.7.1 table 99
ip route add 10.0.0.0/8 via 10.0.7.1 table 99 protocol bird
nft add table inet foreign
nft add chain inet foreign input '{ type filter hook input priority 0; }'
nft add rule inet foreign input ip saddr 203.0.113.0/24 accept
`;

const detailed = [
  "ip -d -j -4 route show table all",
  "ip -d -j -6 route show table all",
  "ip -d -j -4 rule",
  "ip -d -j -6 rule",
];

describe("a clean-up leaves the kernel as it was before the agent came", () => {
  let node: TestNamespaces;
  let untouched: unknown;

  /** The whole state, and routes and rules with everything that iproute2 knows of them. */
  const state = async (): Promise<{ readonly whole: WholeKernelState; readonly detailed: readonly string[][] }> => ({
    whole: await wholeKernelState(node, "n1"),
    detailed: await Promise.all(
      detailed.map(async (command) =>
        ((await node.json("n1", command)) as readonly object[]).map((entry) => JSON.stringify(entry)).toSorted(),
      ),
    ),
  });

  before(async () => {
    node = await startNode();
    await node.exec("n1", ["sh", "-e", "-c", `ip address add 2001:db8:7::5/64 dev eth0 nodad${foreign}`]);
    // The kernel settles operational states once in a second.
    await node.exec("n1", ["sleep", "2"]);
    untouched = await state();
  });
  after(() => node?.end());

  for (const { name, yaml, networks, stands, rpFilterAll = 0, afterwards } of cases) {
    it(name, async () => {
      await node.sysctl("n1", `net.ipv4.conf.all.rp_filter=${rpFilterAll}`);
      const before = rpFilterAll === 0 ? untouched : await state();
      const agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", yaml);
      try {
        agent.start();
        const carried = (names: readonly string[]) =>
          agent.until("the networks stand", (told) =>
            names.every((network) =>
              told.get(network)?.conditions.some(({ type, status }) => type === "Applied" && status === "True"),
            ),
          );
        await carried(networks);
        const lines = Object.values((await state()).whole).flat();
        assert.deepEqual(
          stands.filter((line) => !lines.some((text) => line.test(text.trimEnd()))),
          [],
        );
        if (afterwards !== undefined && "yaml" in afterwards) {
          await agent.configure(afterwards.yaml);
          await carried(["second"]);
        }
        await agent.stop("SIGKILL");
        if (afterwards !== undefined && "script" in afterwards)
          await node.exec("n1", ["sh", "-e", "-c", afterwards.script]);
        const places = ["--state-directory", agent.stateDirectory(), "--status-file", agent.statusFile()];
        const { code, stdout, stderr } = await agent.run("cleanup", ...places);
        assert.deepEqual([code, stderr], [0, ""], stdout);
        assert.deepEqual(await state(), before);
      } finally {
        await agent.end();
      }
    });
  }
});
