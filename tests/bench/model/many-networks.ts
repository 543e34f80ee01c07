import type { NodeFacts } from "../../../model/index.js";

const firstVni = 1000;
/** RFC 1918's 172.16.0.0/12 has room for 65536 of them; the range for benchmarks (RFC 2544) is refused by the model. */
const subnetSize = 16;
const firstSubnet = (172 << 24) | (16 << 16);
/** A node tells 1023 marks apart, so among 4000 networks only every fourth has one. */
const markedEvery = 4;

/** A configuration file of VXLAN networks that share their BGP sessions; every second one has an IPv6 subnet too. */
export function manyNetworks(count: number): string {
  const networks = Array.from({ length: count }, (_, index) => network(index));
  return `podNetworks: [10.244.0.0/16, 10.96.0.0/16, "fd00:10:244::/56"]\nnetworks:\n${networks.join("")}`;
}

function network(index: number): string {
  const base = firstSubnet + index * subnetSize;
  const returnPath = index % markedEvery === 0 ? "auto" : "source";
  const ipv6 = `2001:db8:${index.toString(16)}::`;
  return `  - type: vxlan
    vxlan:
      vni: ${firstVni + index}
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing:
      - { cidr: ${dotted(base)}/28, gateway: ${dotted(base + 1)}, returnPath: ${returnPath}, arpAnnouncer: true }
${index % 2 === 0 ? "" : `      - { cidr: "${ipv6}/64", gateway: "fe80::1", returnPath: ${returnPath} }\n`}`;
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join(".");
}

/** A node that can carry them all, and has nothing of ours yet. */
export const node: NodeFacts = {
  nodeName: "n1",
  labels: {},
  links: [{ name: "eth0", mtu: 1600, up: true }],
  addresses: [
    {
      device: "eth0",
      family: 4,
      address: "10.0.7.5",
      prefixLength: 24,
      secondary: false,
      deprecated: false,
      tentative: false,
    },
  ],
  marks: [],
  rpFilterAll: 0,
  localRulePriority: 0,
};
