import type { Family } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { pathAddresses } from "./return-path-addresses.js";

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
  | "nftables DNAT, masquerade, host network of another node"
  | "IPVS"
  | "IPVS, masquerade"
  | "IPVS, masquerade, pod on another node";

interface Service {
  /** The last part of its address: all of them stand side by side on one node. */
  readonly host: number;
  /** The server that answers: it says its name first (see {@link serveEcho}). */
  readonly backend: "n1" | "n2" | "pod" | "remote-pod";
}

const services: Readonly<Record<ServiceProxy, Service>> = {
  "address on lo": { host: 10, backend: "n1" },
  "address on our interface": { host: 11, backend: "n1" },
  "iptables DNAT": { host: 12, backend: "pod" },
  "iptables DNAT, masquerade": { host: 13, backend: "pod" },
  "nftables DNAT": { host: 14, backend: "pod" },
  "nftables DNAT, masquerade": { host: 15, backend: "pod" },
  "nftables DNAT, masquerade, pod on another node": { host: 16, backend: "remote-pod" },
  "nftables DNAT, host network": { host: 17, backend: "n1" },
  "nftables DNAT, masquerade, host network of another node": { host: 18, backend: "n2" },
  IPVS: { host: 20, backend: "pod" },
  "IPVS, masquerade": { host: 21, backend: "pod" },
  "IPVS, masquerade, pod on another node": { host: 22, backend: "remote-pod" },
};

export const serviceProxies = Object.keys(services) as readonly ServiceProxy[];

export function proxyAddress(proxy: ServiceProxy, family: Family = 4): string {
  const { host } = services[proxy];
  return family === 4 ? `203.0.113.${host}` : `2001:db8:228::${host}`;
}

export function proxyBackend(proxy: ServiceProxy): string {
  return services[proxy].backend;
}

/** Port of host network backends. */
export const HOST_PORT = 8080;

/** kube-proxy's bit for packets to masquerade (`--iptables-masquerade-bit`, 14 by default). */
const MASQUERADE = "0x4000";

const isMasqueraded = (proxy: ServiceProxy): boolean => proxy.includes("masquerade");

interface Backend {
  readonly address: string;
  readonly port: number;
}

function backendOf(proxy: ServiceProxy, family: Family): Backend {
  const { node, otherNode, pod, remotePod } = pathAddresses[family];
  switch (services[proxy].backend) {
    case "n1":
      return { address: node, port: HOST_PORT };
    case "n2":
      return { address: otherNode, port: HOST_PORT };
    case "pod":
      return { address: pod, port: 80 };
    case "remote-pod":
      return { address: remotePod, port: 80 };
  }
}

/**
 * kube-proxy's rules in iptables mode, reduced to one Service of each policy: translation in PREROUTING and OUTPUT, the mark
 * that asks for masquerading, and the drop of packets that connection tracking does not know (kubernetes/kubernetes#74840).
 */
export async function proxyByIptables(net: TestNamespaces, family: Family = 4): Promise<void> {
  const translated = (["iptables DNAT", "iptables DNAT, masquerade"] as const).flatMap((proxy) => {
    const { address, port } = backendOf(proxy, family);
    const host = family === 4 ? address : `[${address}]`;
    const service = `-A KUBE-SERVICES -d ${proxyAddress(proxy, family)} -p tcp --dport 80`;
    return [
      ...(isMasqueraded(proxy) ? [`${service} -j MARK --or-mark ${MASQUERADE}`] : []),
      `${service} -j DNAT --to-destination ${host}:${port}`,
    ];
  });
  const rules = `*nat
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A OUTPUT -j KUBE-SERVICES
${translated.join("\n")}
-A POSTROUTING -m mark --mark ${MASQUERADE}/${MASQUERADE} -j MASQUERADE --random-fully
COMMIT
*filter
-A FORWARD -m conntrack --ctstate INVALID -j DROP
COMMIT
`;
  // The nft variant by name: which one `iptables` is depends on the machine, and newer kernels lack the legacy one.
  await net.exec("n1", [`${family === 4 ? "iptables" : "ip6tables"}-nft-restore`], { input: rules });
}

/** The same in kube-proxy's nftables mode. */
export async function proxyByNftables(net: TestNamespaces, family: Family = 4): Promise<void> {
  const proxies = serviceProxies.filter((proxy) => proxy.startsWith("nftables"));
  const masqueraded = proxies.filter(isMasqueraded).map((proxy) => proxyAddress(proxy, family));
  const elements = proxies.map((proxy) => {
    const { address, port } = backendOf(proxy, family);
    return `${proxyAddress(proxy, family)} . 80 : ${address} . ${port}`;
  });
  const { ip, type } = family === 4 ? { ip: "ip", type: "ipv4_addr" } : { ip: "ip6", type: "ipv6_addr" };
  await net.nft(
    "n1",
    `
table ${ip} kube-proxy {
  map service-ips { type ${type} . inet_service : ${type} . inet_service; elements = { ${elements.join(", ")} } }
  set masqueraded { type ${type}; elements = { ${masqueraded.join(", ")} } }
  chain services {
    ${ip} daddr @masqueraded meta mark set meta mark or ${MASQUERADE}
    meta l4proto tcp dnat to ${ip} daddr . tcp dport map @service-ips
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

/**
 * kube-proxy's IPVS mode: the addresses stand on kube-ipvs0, where they are local, IPVS translates what the node would take for
 * itself, and netfilter masquerades what it has marked before. Whether it can depends on net.ipv4.vs.conntrack.
 */
export async function proxyByIpvs(net: TestNamespaces): Promise<void> {
  const proxies = serviceProxies.filter((proxy) => proxy.startsWith("IPVS"));
  await net.ip(
    "n1",
    "link add kube-ipvs0 type dummy",
    ...proxies.map((proxy) => `address add ${proxyAddress(proxy)}/32 dev kube-ipvs0`),
  );
  const virtualServers = proxies.map((proxy) => {
    const service = `-t ${proxyAddress(proxy)}:80`;
    const { address, port } = backendOf(proxy, 4);
    return `-A ${service} -s rr\n-a ${service} -r ${address}:${port} -m\n`;
  });
  await net.exec("n1", ["ipvsadm", "--restore"], { input: virtualServers.join("") });
  const masqueraded = proxies.filter(isMasqueraded).map((proxy) => proxyAddress(proxy));
  const mark = `ip daddr { ${masqueraded.join(", ")} } tcp dport 80 meta mark set meta mark or ${MASQUERADE}`;
  await net.nft(
    "n1",
    `
table ip kube-proxy-ipvs {
  chain nat-prerouting { type nat hook prerouting priority dstnat; ${mark}; }
  chain nat-output { type nat hook output priority -100; ${mark}; }
  chain nat-postrouting { type nat hook postrouting priority srcnat;
    meta mark & ${MASQUERADE} == ${MASQUERADE} masquerade
  }
}
`,
  );
}
