import type { TestNamespaces } from "../support/namespace.js";
import { NODE, POD, REMOTE_POD } from "./public-segment.js";

/**
 * What stands between a public address and its backend. Masquerading is externalTrafficPolicy Cluster; a host network backend
 * listens on the node's own address.
 */
export type ServiceProxy =
  | "address on lo"
  | "address on our interface"
  | "iptables DNAT"
  | "iptables DNAT, masquerade"
  | "nftables DNAT"
  | "nftables DNAT, masquerade"
  | "nftables DNAT, masquerade, pod on another node"
  | "nftables DNAT, host network"
  | "IPVS"
  | "IPVS, masquerade";

/** Each has an address of its own, so that all of them stand side by side on one node. */
export const proxyAddress: Readonly<Record<ServiceProxy, string>> = {
  "address on lo": "203.0.113.10",
  "address on our interface": "203.0.113.11",
  "iptables DNAT": "203.0.113.12",
  "iptables DNAT, masquerade": "203.0.113.13",
  "nftables DNAT": "203.0.113.14",
  "nftables DNAT, masquerade": "203.0.113.15",
  "nftables DNAT, masquerade, pod on another node": "203.0.113.16",
  "nftables DNAT, host network": "203.0.113.17",
  IPVS: "203.0.113.18",
  "IPVS, masquerade": "203.0.113.19",
};

/** The server that answers: it says its name first (see {@link serveEcho}). */
export const proxyBackend: Readonly<Record<ServiceProxy, string>> = {
  "address on lo": "n1",
  "address on our interface": "n1",
  "iptables DNAT": "pod",
  "iptables DNAT, masquerade": "pod",
  "nftables DNAT": "pod",
  "nftables DNAT, masquerade": "pod",
  "nftables DNAT, masquerade, pod on another node": "remote-pod",
  "nftables DNAT, host network": "n1",
  IPVS: "pod",
  "IPVS, masquerade": "pod",
};

/** Port of host network backends. */
export const HOST_PORT = 8080;

/** kube-proxy's bit for packets to masquerade (`--iptables-masquerade-bit`, 14 by default). */
const MASQUERADE = "0x4000";

/**
 * kube-proxy's rules in iptables mode, reduced to one Service of each policy: translation in PREROUTING and OUTPUT, the mark
 * that asks for masquerading, and the drop of packets that connection tracking does not know (kubernetes/kubernetes#74840).
 */
export async function proxyByIptables(net: TestNamespaces): Promise<void> {
  const local = proxyAddress["iptables DNAT"];
  const cluster = proxyAddress["iptables DNAT, masquerade"];
  const rules = `*nat
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A OUTPUT -j KUBE-SERVICES
-A KUBE-SERVICES -d ${local}/32 -p tcp --dport 80 -j DNAT --to-destination ${POD}:80
-A KUBE-SERVICES -d ${cluster}/32 -p tcp --dport 80 -j MARK --or-mark ${MASQUERADE}
-A KUBE-SERVICES -d ${cluster}/32 -p tcp --dport 80 -j DNAT --to-destination ${POD}:80
-A POSTROUTING -m mark --mark ${MASQUERADE}/${MASQUERADE} -j MASQUERADE --random-fully
COMMIT
*filter
-A FORWARD -m conntrack --ctstate INVALID -j DROP
COMMIT
`;
  // The nft variant by name: which one `iptables` is depends on the machine, and newer kernels lack the legacy one.
  await net.exec("n1", ["iptables-nft-restore"], { input: rules });
}

/** The same in kube-proxy's nftables mode. */
export async function proxyByNftables(net: TestNamespaces): Promise<void> {
  const backends = {
    "nftables DNAT": `${POD} . 80`,
    "nftables DNAT, masquerade": `${POD} . 80`,
    "nftables DNAT, masquerade, pod on another node": `${REMOTE_POD} . 80`,
    "nftables DNAT, host network": `${NODE} . ${HOST_PORT}`,
  } as const;
  const masqueraded = (Object.keys(backends) as (keyof typeof backends)[]).filter((proxy) =>
    proxy.includes("masquerade"),
  );
  const elements = Object.entries(backends).map(
    ([proxy, backend]) => `${proxyAddress[proxy as ServiceProxy]} . 80 : ${backend}`,
  );
  await net.nft(
    "n1",
    `
table ip kube-proxy {
  map service-ips { type ipv4_addr . inet_service : ipv4_addr . inet_service; elements = { ${elements.join(", ")} } }
  set masqueraded { type ipv4_addr; elements = { ${masqueraded.map((proxy) => proxyAddress[proxy]).join(", ")} } }
  chain services {
    ip daddr @masqueraded meta mark set meta mark or ${MASQUERADE}
    ip protocol tcp dnat to ip daddr . tcp dport map @service-ips
  }
  chain nat-prerouting { type nat hook prerouting priority dstnat; jump services; }
  chain nat-output { type nat hook output priority -100; jump services; }
  chain nat-postrouting { type nat hook postrouting priority srcnat;
    meta mark & ${MASQUERADE} == ${MASQUERADE} meta mark set meta mark xor ${MASQUERADE} masquerade fully-random
  }
  chain filter-forward { type filter hook forward priority filter; ct state invalid drop; }
}
`,
  );
}
