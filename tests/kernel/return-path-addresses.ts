import type { Family } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { CALLER, CLIENT, HOST, NODE, POD, REMOTE_POD } from "./public-segment.js";

/** Who has which address in the topology of the return path. */
export interface PathAddresses {
  /** The network in which the services are, and the other one. */
  readonly publicPrefix: string;
  readonly otherPrefix: string;
  readonly node: string;
  readonly otherNode: string;
  readonly pod: string;
  readonly caller: string;
  readonly remotePod: string;
  readonly client: string;
  readonly host: string;
  readonly otherHost: string;
}

export const pathAddresses: Readonly<Record<Family, PathAddresses>> = {
  4: {
    publicPrefix: "203.0.113.0/24",
    otherPrefix: "198.51.100.0/24",
    node: NODE,
    otherNode: "10.0.7.12",
    pod: POD,
    caller: CALLER,
    remotePod: REMOTE_POD,
    client: CLIENT,
    host: HOST,
    otherHost: "198.51.100.66",
  },
  6: {
    publicPrefix: "2001:db8:228::/64",
    otherPrefix: "2001:db8:229::/64",
    node: "fd00:10:7::5",
    otherNode: "fd00:10:7::12",
    pod: "fd00:10:244:1::5",
    caller: "fd00:10:244:1::9",
    remotePod: "fd00:10:244:2::5",
    client: "2001:db8:9::9",
    host: "2001:db8:228::66",
    otherHost: "2001:db8:229::66",
  },
};

/** Gives every place that has IPv4 addresses and routes the same in IPv6. In a batch of ip(8) `default` alone is IPv4. */
export async function addIpv6(net: TestNamespaces): Promise<void> {
  const { node, otherNode, pod, caller, remotePod, client, host, otherHost } = pathAddresses[6];
  for (const place of ["n1", "n2", "gateway", "door"]) await net.sysctl(place, "net.ipv6.conf.all.forwarding=1");
  await net.ip(
    "n1",
    `address add ${node}/64 dev eth0`,
    "address add fd00:10:244:1::6/126 dev pod",
    "address add fd00:10:244:1::a/126 dev caller",
    "route add ::/0 via fd00:10:7::1",
    `route add fd00:10:244:2::/64 via ${otherNode}`,
  );
  await net.ip(
    "n2",
    `address add ${otherNode}/64 dev eth0`,
    "address add fd00:10:244:2::6/126 dev remote-pod",
    "route add ::/0 via fd00:10:7::1",
    `route add fd00:10:244:1::/64 via ${node}`,
  );
  for (const [place, address, nodeAddress] of [
    ["pod", pod, "fd00:10:244:1::6"],
    ["caller", caller, "fd00:10:244:1::a"],
    ["remote-pod", remotePod, "fd00:10:244:2::6"],
  ] as const) {
    await net.ip(place, `address add ${address}/126 dev eth0`, `route add ::/0 via ${nodeAddress}`);
  }
  await net.ip(
    "gateway",
    "address add fd00:10:7::19/64 dev eth0",
    "address add 2001:db8:228::1/64 dev public",
    "address add 2001:db8:229::1/64 dev other",
    "address add 2001:db8:9::1/64 dev eth1",
  );
  await net.ip(
    "door",
    "address add fd00:10:7::1/64 dev eth0",
    "route add 2001:db8:228::/64 via fd00:10:7::19",
    "route add 2001:db8:229::/64 via fd00:10:7::19",
  );
  await net.ip("client", `address add ${client}/64 dev eth0`, "route add ::/0 via 2001:db8:9::1");
  await net.ip("host", `address add ${host}/64 dev public`);
  await net.ip("other-host", `address add ${otherHost}/64 dev other`, "route add ::/0 via 2001:db8:229::1");
}
