import { type Configuration, parseConfigurationFile } from "../../model/index.js";
import { TestNamespaces } from "../support/namespace.js";

/** The VXLAN network of the seed's file: table 228, interface vxlan228. */
export const baseYaml = `
podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
`;

export function configuration(yaml: string): Configuration {
  const result = parseConfigurationFile(yaml);
  if (!result.ok) throw new Error(JSON.stringify(result.mistakes));
  return result.value;
}

/**
 * One node: 10.0.7.5 on eth0, where also its default gateway is. The cable's other end lies in `outside`. Duplicate address
 * detection is off, so that nothing changes by itself while a test compares.
 */
export async function startNode(others: readonly string[] = []): Promise<TestNamespaces> {
  const namespaces = await TestNamespaces.start(["n1", "outside", ...others]);
  await namespaces.sysctl("n1", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0");
  await namespaces.connect("n1", "eth0", "outside", "eth0");
  await namespaces.ip(
    "n1",
    "link set eth0 mtu 1600",
    "address add 10.0.7.5/24 dev eth0",
    "route add default via 10.0.7.1",
  );
  return namespaces;
}
