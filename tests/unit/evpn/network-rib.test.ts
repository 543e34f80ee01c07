import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReceivedRoute } from "../../../agent-image/agent/bgp/rib/received-route.js";
import type { ForwardingState } from "../../../agent-image/agent/evpn/forwarding-state.js";
import { NetworkRib } from "../../../agent-image/agent/evpn/network-rib.js";
import { flood, host } from "./received-routes.js";

const own = { vni: 228, vtep: "10.0.7.11", mac: "02:00:00:00:00:11" };

function ribWith(...routes: readonly ReceivedRoute[]): NetworkRib {
  const rib = new NetworkRib(own);
  rib.setOwnAddresses(["203.0.113.10"]);
  for (const route of routes) {
    rib.add(route);
  }
  return rib;
}

function forwardingOf(...routes: readonly ReceivedRoute[]): ForwardingState {
  return ribWith(...routes).forwarding();
}

test("the same routes from two reflectors give one entry each, sorted", () => {
  const fromOne = () => [
    flood("10.0.7.20", "10.0.7.20"),
    flood("10.0.7.19", "10.0.7.19"),
    host({ mac: "02:00:00:00:00:bb" }),
    host({ mac: "02:00:00:00:00:aa", ip: "203.0.113.1" }),
  ];
  assert.deepEqual(forwardingOf(...fromOne(), ...fromOne()), {
    flood: ["10.0.7.19", "10.0.7.20"],
    hosts: [
      { mac: "02:00:00:00:00:aa", vtep: "10.0.7.19" },
      { mac: "02:00:00:00:00:bb", vtep: "10.0.7.19" },
    ],
    neighbours: [{ address: "203.0.113.1", mac: "02:00:00:00:00:aa" }],
  });
});

test("flooded frames go to the tunnel's endpoint, whoever announced it; without a tunnel to nobody", () => {
  const routes = [flood("10.0.7.19", "10.0.9.1"), flood("10.0.7.20", undefined), flood("10.0.7.12", "10.0.7.12", 999)];
  assert.deepEqual(forwardingOf(...routes).flood, ["10.0.9.1"]);
});

test("nothing of ours is pointed at others", () => {
  const routes = [
    flood("10.0.7.11", "10.0.7.11"),
    host({ mac: "02:00:00:00:00:99", vtep: "10.0.7.11" }),
    host({ mac: "02:00:00:00:00:11", ip: "203.0.113.77", vtep: "10.0.7.12" }),
    host({ mac: "02:00:00:00:00:12", ip: "203.0.113.10", vtep: "10.0.7.12" }),
  ];
  assert.deepEqual(forwardingOf(...routes), {
    flood: [],
    hosts: [{ mac: "02:00:00:00:00:12", vtep: "10.0.7.12" }],
    neighbours: [],
  });
});

test("routes that one VXLAN interface cannot carry are left out", () => {
  const routes = [
    host({ mac: "02:00:00:00:00:a1", label: 999 }),
    host({ mac: "02:00:00:00:00:a2", tunnelTypes: [10] }),
    host({ mac: "01:00:5e:00:00:01" }),
    host({ mac: "00:00:00:00:00:00" }),
    host({ mac: "02:00:00:00:00:a3", vtep: "2001:db8::1" }),
    host({ mac: "02:00:00:00:00:a4", vtep: "127.0.0.1" }),
    host({ mac: "02:00:00:00:00:a5", vtep: "0.0.0.0" }),
    host({ mac: "02:00:00:00:00:a6", vtep: "224.0.0.1" }),
  ];
  assert.deepEqual(forwardingOf(...routes).hosts, []);
});

test("an IPv6 VTEP is reached at a global address", () => {
  const rib = new NetworkRib({ ...own, vtep: "fd00:7::11" });
  for (const vtep of [
    "::",
    "::1",
    "::ffff:10.0.7.19",
    "::ffff:a00:713",
    "::a00:713",
    "fe80::1",
    "febf::1",
    "ff02::1",
    "10.0.7.19",
  ]) {
    rib.add(host({ mac: "02:00:00:00:00:a1", vtep }));
  }
  assert.deepEqual(rib.forwarding().hosts, []);
  for (const [index, vtep] of ["fd00:7::12", "2001:db8::ffff:12", "fec0::1"].entries()) {
    rib.add(host({ mac: `02:00:00:00:00:b${index}`, vtep }));
  }
  assert.equal(rib.forwarding().hosts.length, 3);
});

test("a route without encapsulation community is taken as VXLAN (RFC 8365 section 5.1.3)", () => {
  assert.equal(forwardingOf(host({ mac: "02:00:00:00:00:aa", tunnelTypes: [] })).hosts.length, 1);
});

test("a host that moved sits behind the VTEP with the higher sequence, its address with the MAC of that claim", () => {
  const before = host({ mac: "02:00:00:00:00:12", ip: "203.0.113.20", vtep: "10.0.7.12" });
  const after = host({ mac: "02:00:00:00:00:13", ip: "203.0.113.20", vtep: "10.0.7.13", sequence: 1 });
  assert.deepEqual(forwardingOf(before, after).neighbours, [{ address: "203.0.113.20", mac: "02:00:00:00:00:13" }]);
  const gateway = { mac: "02:00:00:00:00:01" };
  const moved = [host({ ...gateway, vtep: "10.0.7.19" }), host({ ...gateway, vtep: "10.0.7.20", sequence: 1 })];
  assert.deepEqual(forwardingOf(...moved).hosts, [{ ...gateway, vtep: "10.0.7.20" }]);
});

test("a stale route serves until a fresh one says otherwise", () => {
  const stale = host({ mac: "02:00:00:00:00:01", vtep: "10.0.7.19", sequence: 5, stale: true });
  assert.deepEqual(forwardingOf(stale).hosts, [{ mac: "02:00:00:00:00:01", vtep: "10.0.7.19" }]);
  const fresh = host({ mac: "02:00:00:00:00:01", vtep: "10.0.7.20" });
  assert.deepEqual(forwardingOf(stale, fresh).hosts, [{ mac: "02:00:00:00:00:01", vtep: "10.0.7.20" }]);
});

test("two MACs of one VTEP for an address: the same one counts in whatever order they came", () => {
  const [one, other] = ["02:00:00:00:00:01", "02:00:00:00:00:02"].map((mac) => host({ mac, ip: "203.0.113.20" }));
  assert.ok(one !== undefined && other !== undefined);
  const expected = [{ address: "203.0.113.20", mac: "02:00:00:00:00:01" }];
  assert.deepEqual(forwardingOf(one, other).neighbours, expected);
  assert.deepEqual(forwardingOf(other, one).neighbours, expected);
});

test("a change says what is different, and nothing of a host that is back where it was", () => {
  const [leaf, gateway] = [flood("10.0.7.19", "10.0.7.19"), host({ mac: "02:00:00:00:00:fe" })];
  const rib = ribWith(leaf, gateway);
  assert.deepEqual(rib.takeChanges(), {
    flood: [{ vtep: "10.0.7.19", wanted: true }],
    hosts: [{ mac: "02:00:00:00:00:fe", vtep: "10.0.7.19" }],
  });
  assert.deepEqual(rib.takeChanges(), { flood: [], hosts: [] });

  const moved = host({ mac: "02:00:00:00:00:fe", vtep: "10.0.7.20", sequence: 1 });
  rib.add(moved);
  rib.remove(gateway);
  assert.deepEqual(rib.takeChanges(), { flood: [], hosts: [{ mac: "02:00:00:00:00:fe", vtep: "10.0.7.20" }] });

  rib.remove(moved);
  assert.deepEqual(rib.forwarding().hosts, []);
  rib.add(moved);
  assert.deepEqual(rib.takeChanges(), { flood: [], hosts: [] });

  rib.remove(moved);
  rib.remove(leaf);
  assert.deepEqual(rib.takeChanges(), {
    flood: [{ vtep: "10.0.7.19", wanted: false }],
    hosts: [{ mac: "02:00:00:00:00:fe", vtep: undefined }],
  });
});

test("an address that becomes ours is nobody's neighbour, and is one again afterwards", () => {
  const rib = ribWith(host({ mac: "02:00:00:00:00:12", ip: "203.0.113.20", vtep: "10.0.7.12" }));
  assert.equal(rib.neighbour("203.0.113.20"), "02:00:00:00:00:12");
  rib.setOwnAddresses(["203.0.113.20"]);
  assert.equal(rib.neighbour("203.0.113.20"), undefined);
  rib.setOwnAddresses([]);
  assert.equal(rib.neighbour("203.0.113.20"), "02:00:00:00:00:12");
});
