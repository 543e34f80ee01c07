import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EventInterest } from "../../../../agent-image/agent/kernel/event-interest.js";
import {
  fdbLineConcerns,
  ipLineConcerns,
  nftLineConcerns,
} from "../../../../agent-image/agent/kernel/monitor-lines.js";

// All lines were printed by iproute2 6.1.0 and nftables 1.0.6 (Debian 12) on Linux 6.18.

const interest: EventInterest = {
  devices: new Set(["lo", "vxlan228", "eth0"]),
  tables: new Set([228]),
  anyInterface: false,
  forwarding: (device) =>
    device === "vxlan228"
      ? { flood: new Set(["10.0.7.20"]), hosts: new Map([["02:00:00:00:00:aa", "10.0.7.19"]]) }
      : undefined,
};

function check(concerns: typeof ipLineConcerns, lines: readonly string[], expected: boolean, seen = interest): void {
  for (const line of lines) test(line, () => assert.equal(concerns(line, seen), expected));
}

describe("lines of `ip -oneline -Numeric monitor link address route rule netconf` that concern us", () => {
  check(
    ipLineConcerns,
    [
      "4: vxlan228: <BROADCAST,MULTICAST> mtu 1500 qdisc noqueue state DOWN group 0 \\    link/[1] 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff",
      "Deleted 4: vxlan228: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group 0 \\    link/[1] 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff",
      "3: eth0@peer0: <BROADCAST,MULTICAST,M-DOWN> mtu 1600 qdisc noop state DOWN group 0 \\    link/[1] b2:d4:0f:42:9b:ce brd ff:ff:ff:ff:ff:ff",
      "Deleted 3: eth0    inet 10.0.7.5/24 scope 0 eth0\\       valid_lft forever preferred_lft forever",
      "Deleted 4: vxlan228    inet6 fe80::ff:fe00:1/64 scope 253 tentative \\       valid_lft forever preferred_lft forever",
      "Deleted 4016:\tfrom 203.0.113.0/24 lookup 228 proto 118",
      "Deleted 4017:\tfrom 203.0.113.0/24 7 proto 118",
      "2000:\tfrom all fwmark 0x10/0x3ff0 lookup 254",
      "32765:\tfrom all lookup 255",
      "Deleted 32766:\tfrom all lookup 254",
      "20000:\tfrom all lookup 254",
      "20000:\tfrom all lookup 254 suppress_prefixlength 0",
      "default dev wg0 table 51820 scope 253 ",
      "Deleted default dev wg0 table 51820 scope 253 ",
      "6 default table 51821 ",
      "default dev wg0 table 51820 metric 1024 pref medium",
      "Deleted default via 203.0.113.1 dev vxlan228 table 228 proto 118 ",
      "Deleted 2001:db8::/64 dev vxlan228 table 228 proto 118 metric 1024 pref medium",
      "10.99.0.0/16 via 10.0.7.9 dev eth0 table 228 ",
      "inet vxlan228 rp_filter loose ",
      "inet all rp_filter loose ",
      "Deleted inet6 vxlan228 ",
      "something that nobody has printed yet",
    ],
    true,
  );
});

describe("lines of `ip monitor` about others", () => {
  check(
    ipLineConcerns,
    [
      "5: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UNKNOWN group 0 event FEATURE CHANGE \\    link/[1] da:fa:6c:eb:ff:70 brd ff:ff:ff:ff:ff:ff",
      "2: peer0@eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master br0 state UP \\    link/[1] 72:46:df:71:31:36",
      "Deleted 5: br0    inet6 fe80::a8aa:aaff:feaa:aaaa/64 scope 253 \\       valid_lft forever preferred_lft forever",
      "10.99.0.0/16 via 10.0.7.9 dev eth0 ",
      "fe80::/64 dev vxlan228 proto 2 metric 256 pref medium",
      "5 ff00::/8 dev vxlan228 table 255 proto 2 metric 256 pref medium",
      "2 10.0.7.5 dev eth0 table 255 proto 2 scope 254 src 10.0.7.5 ",
      "5210:\tfrom all fwmark 0x80000/0xff0000 lookup 254",
      "5211:\tfrom all to 10.0.0.0/8 lookup 254",
      "5212:\tfrom 10.0.7.0/24 lookup 254",
      "5270:\tfrom all lookup 52",
      "default via 10.0.7.1 dev wg0 proto 16 ",
      "10.98.0.0/16 dev wg0 table 51820 scope 253 ",
      "inet br0 forwarding off rp_filter off mc_forwarding off proxy_neigh off ignore_routes_with_linkdown off ",
    ],
    false,
  );
});

describe("while a network waits for an interface or an address, any may be the one", () => {
  check(
    ipLineConcerns,
    [
      "5: bond0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UNKNOWN group 0 \\    link/[1] da:fa:6c:eb:ff:70 brd ff:ff:ff:ff:ff:ff",
      "7: eth1    inet 10.0.7.6/24 scope 0 eth1\\       valid_lft forever preferred_lft forever",
    ],
    true,
    { ...interest, anyInterface: true },
  );
});

describe("lines of `bridge monitor fdb` that deviate from the routes", () => {
  check(
    fdbLineConcerns,
    [
      "Deleted 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.20 self permanent",
      "00:00:00:00:00:00 dev vxlan228 dst 10.0.7.21 self permanent",
      "Deleted 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self extern_learn permanent",
      "02:00:00:00:00:aa dev vxlan228 dst 10.0.7.20 self extern_learn permanent",
      "02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self permanent",
      "02:00:00:00:00:bb dev vxlan228 dst 10.0.7.20 self extern_learn permanent",
      "Deleted 02:00:00:00:00:aa dev vxlan228 extern_learn master br228 ",
    ],
    true,
  );
});

describe("lines of `bridge monitor fdb` that are our own doing, or others'", () => {
  check(
    fdbLineConcerns,
    [
      "00:00:00:00:00:00 dev vxlan228 dst 10.0.7.20 self permanent",
      "Deleted 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.21 self permanent",
      "02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self extern_learn permanent",
      "Deleted 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.20 self extern_learn permanent",
      "02:00:00:00:00:cc dev vxlan228 dst 10.0.7.21 self permanent",
      "02:00:00:00:00:aa dev flannel.1 dst 10.0.7.20 self permanent",
      "72:46:df:71:31:36 dev peer0 master br0 permanent",
      "02:00:00:00:00:aa dev vxlan228 extern_learn master br228 ",
      "Deleted 02:00:00:00:00:bb dev vxlan228 extern_learn master br228 ",
      "Deleted 02:00:00:00:00:aa dev vxlan228 master br228 ",
      "Deleted da:fa:6c:eb:ff:70 dev br0 master br0 permanent",
    ],
    false,
  );
});

describe("lines of `nft monitor` for rules, chains and tables", () => {
  check(
    nftLineConcerns,
    [
      "add rule inet vlan_router forward ip saddr 1.2.3.4 counter packets 0 bytes 0 drop",
      "delete rule inet vlan_router forward handle 2",
      "add chain inet vlan_router segment { type filter hook prerouting priority raw - 10; policy drop; }",
      "delete chain inet vlan_router segment",
      "add table inet vlan_router { flags dormant; }",
      "delete table inet vlan_router",
      "# ERROR: We lost some netlink events!",
    ],
    true,
  );
  check(
    nftLineConcerns,
    [
      "add rule ip kube-proxy services ip daddr 10.96.0.1",
      "delete rule inet vlan_router_other x handle 2",
      "add chain ip kube-proxy service-ABC",
      "add table inet vlan_router_other",
      "delete table ip vlan_router",
      "# new generation 10 by process 9982 (nft)",
    ],
    false,
  );
});
