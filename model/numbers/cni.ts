/** Container network interfaces whose numbers we know; the cluster's own, as the configuration declares it. */
export const cnis = ["cilium", "calico", "antrea", "kube-ovn", "ovn-kubernetes", "kube-router", "flannel"] as const;

export type Cni = (typeof cnis)[number];

interface Range {
  readonly first: number;
  readonly last: number;
}

interface TunnelUse {
  /** UDP, on every address of the node. */
  readonly port: number;
  /** Only this VNI; the whole port when absent. */
  readonly vni?: number;
  readonly device: string;
}

interface CniNumbers {
  readonly title: string;
  readonly tables: readonly Range[];
  readonly tunnels: readonly TunnelUse[];
  /** TCP ports on the node's own addresses. */
  readonly ports: readonly number[];
}

const one = (table: number): Range => ({ first: table, last: table });

/** Geneve (RFC 8926 section 8.2). */
const genevePort = 6081;

const numbers: Readonly<Record<Cni, CniNumbers>> = {
  cilium: {
    title: "Cilium",
    // cilium/cilium pkg/datapath/linux/linux_defaults: 10 + number of the ENI, of which a network card of AWS has at most
    // 15; then IPsec, WireGuard, VTEP, to and from the proxy.
    tables: [
      { first: 10, last: 24 },
      { first: 200, last: 202 },
      { first: 2004, last: 2005 },
    ],
    // Metadata mode: no second VXLAN device comes up on that port (cilium/cilium#38583).
    tunnels: [
      { port: 8472, device: "cilium_vxlan" },
      { port: genevePort, device: "cilium_geneve" },
      { port: 51_871, device: "cilium_wg0" },
    ],
    ports: [4240],
  },
  calico: {
    title: "Calico",
    // Felix takes from routeTableRange, 1-250 by default, for WireGuard.
    tables: [{ first: 1, last: 250 }],
    tunnels: [
      { port: 4789, vni: 4096, device: "vxlan.calico" },
      { port: 51_820, device: "wireguard.cali" },
      { port: 51_821, device: "wg-v6.cali" },
    ],
    ports: [9091, 9099],
  },
  antrea: {
    title: "Antrea",
    // antrea-io/antrea pkg/agent/types/net.go: one for each subnet of an egress, and one for node traffic.
    tables: [{ first: 101, last: 120 }, one(141)],
    tunnels: [{ port: genevePort, device: "genev_sys_6081" }],
    ports: [],
  },
  "kube-ovn": {
    title: "Kube-OVN",
    // Its policy routing takes tables that the user names for each subnet.
    tables: [],
    tunnels: [{ port: genevePort, device: "genev_sys_6081" }],
    ports: [],
  },
  "ovn-kubernetes": {
    title: "OVN-Kubernetes",
    // ovn-kubernetes/ovn-kubernetes go-controller/pkg/node: gateway_shared_intf.go has 7, and controllers/egressip/egressip.go
    // 1000 + ifindex, where an ifindex grows with every pod that ever ran on the node.
    tables: [one(7), { first: 1000, last: 999_999 }],
    tunnels: [{ port: genevePort, device: "genev_sys_6081" }],
    ports: [],
  },
  "kube-router": {
    title: "kube-router",
    // cloudnativelabs/kube-router pkg/controllers: kube-router (77) in routing/pbr.go, kube-router-dsr and external_ip (78, 79)
    // in proxy/network_services_controller.go.
    tables: [{ first: 77, last: 79 }],
    tunnels: [],
    // Health, and the gRPC service of its own GoBGP.
    ports: [20_244, 50_051],
  },
  flannel: {
    title: "flannel",
    tables: [],
    tunnels: [
      { port: 8472, vni: 1, device: "flannel.1" },
      { port: 51_820, device: "flannel-wg" },
      { port: 51_821, device: "flannel-wg-v6" },
    ],
    ports: [],
  },
};

export const cniTitle = (cni: Cni): string => numbers[cni].title;

/** The range of routing tables in which the CNI has this one, as people write it (`1 to 250`), or undefined. */
export function cniTables(cni: Cni, table: number): string | undefined {
  const range = numbers[cni].tables.find(({ first, last }) => first <= table && table <= last);
  if (range === undefined) return undefined;
  return range.first === range.last ? String(range.first) : `${range.first} to ${range.last}`;
}

/** The CNI's device that a VXLAN device of this port and VNI would meet, or undefined. */
export function cniTunnel(cni: Cni, port: number, vni: number): TunnelUse | undefined {
  return numbers[cni].tunnels.find((tunnel) => tunnel.port === port && (tunnel.vni ?? vni) === vni);
}

/** Whether the CNI listens on this TCP port of the node. */
export function isCniPort(cni: Cni, port: number): boolean {
  return numbers[cni].ports.includes(port);
}

/** Far from every table that is named above, and still readable as the segment. */
const tableOffsets = [1000, 10_000, 1_000_000] as const;

/** A table for this segment that the CNI leaves free. */
export function freeTable(cni: Cni, segment: number): number {
  const [fallback, ...offsets] = tableOffsets.toReversed();
  const free = offsets.toReversed().find((offset) => cniTables(cni, offset + segment) === undefined);
  return (free ?? fallback ?? 0) + segment;
}
