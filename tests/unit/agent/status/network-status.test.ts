import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type NetworkObservation,
  networkStatus,
  type ReportedNetwork,
} from "../../../../agent-image/agent/status/network-status.js";
import type { NetworkPlan, SessionStatus, UnplannedNetwork } from "../../../../model/index.js";

const network: ReportedNetwork = { name: "edge", uid: "uid-1", revision: "edge-1" };
const plan = {
  network: "edge",
  link: { kind: "vxlan", name: "vxlan228", local: "10.0.7.11", port: 4789 },
  routes: [{ table: 240 }, { table: 228 }, { table: 228 }],
  speaker: { peers: ["10.0.7.19", "10.0.7.20"] },
} as unknown as NetworkPlan;

function session(peer: string, state: SessionStatus["state"]): SessionStatus {
  return { peer, state, since: "2026-01-01T09:00:00Z" };
}

const healthy: NetworkObservation = {
  network,
  carriedRevision: "edge-1",
  removing: false,
  plan,
  link: { name: "vxlan228", mtu: 1550, up: true, mac: "02:e4:0a:00:07:0b" },
  failures: [],
  refusals: [],
  conflicts: [],
  repairs: 0,
  sessions: [session("10.0.7.20", "Established"), session("10.0.7.19", "Established")],
  forwarding: () => ({ flood: ["10.0.7.19"], hosts: [] }),
  addresses: ["203.0.113.20", "203.0.113.10"],
  bridgedHosts: 0,
  notices: [],
};
const ten = "2026-01-01T10:00:00Z";
const eleven = "2026-01-01T11:00:00Z";

test("a healthy network: everything sorted, both conditions True", () => {
  assert.deepEqual(networkStatus(healthy, undefined, ten), {
    name: "edge",
    uid: "uid-1",
    revision: "edge-1",
    interface: { name: "vxlan228", state: "up", mac: "02:e4:0a:00:07:0b", mtu: 1550, local: "10.0.7.11", port: 4789 },
    tables: [228, 240],
    sessions: [session("10.0.7.19", "Established"), session("10.0.7.20", "Established")],
    addresses: ["203.0.113.10", "203.0.113.20"],
    conditions: [
      {
        type: "Applied",
        status: "True",
        reason: "Applied",
        message: "revision edge-1 stands in the kernel",
        lastTransitionTime: ten,
      },
      {
        type: "SessionsEstablished",
        status: "True",
        reason: "AllEstablished",
        message: "2 of 2 sessions are Established",
        lastTransitionTime: ten,
      },
    ],
    drift: [],
    repairs: 0,
  });
});

test("machines behind the bridge are counted where there are any, and are none of the node's addresses", () => {
  const { bridgedHosts, addresses } = networkStatus({ ...healthy, bridgedHosts: 2 }, undefined, ten);
  assert.equal(bridgedHosts, 2);
  assert.deepEqual(addresses, ["203.0.113.10", "203.0.113.20"]);
  assert.ok(!("bridgedHosts" in networkStatus(healthy, undefined, ten)));
});

test("C12: the UDP port is that of the tunnel, behind a bridge too; a VLAN has none", () => {
  const portOf = (link: object) =>
    networkStatus({ ...healthy, plan: { ...plan, link } as NetworkPlan }, undefined, ten).interface.port;
  const tunnel = { kind: "vxlan", name: "vxlan228", local: "10.0.7.11", port: 8472 };
  assert.equal(portOf(tunnel), 8472);
  assert.equal(portOf({ kind: "bridge", name: "br228", tunnel }), 8472);
  assert.equal(portOf({ kind: "vlan", name: "vlan220", parent: "bond0", id: 220 }), undefined);
});

test("the same observation later gives the same status; only a change of a condition's status moves its time", () => {
  const first = networkStatus(healthy, undefined, ten);
  assert.deepEqual(networkStatus(healthy, first, eleven), first);
  const down = { ...healthy, sessions: [session("10.0.7.19", "Active"), session("10.0.7.20", "Established")] };
  const second = networkStatus(down, first, eleven);
  assert.deepEqual(
    second.conditions.map(({ type, status, reason, message, lastTransitionTime }) =>
      [type, status, reason, message, lastTransitionTime].join(" | "),
    ),
    [
      "Applied | True | Applied | revision edge-1 stands in the kernel | 2026-01-01T10:00:00Z",
      "SessionsEstablished | False | SomeDown | 10.0.7.19 is Active | 2026-01-01T11:00:00Z",
    ],
  );
});

test("a session that the speaker does not even know counts as Idle", () => {
  const { conditions } = networkStatus({ ...healthy, sessions: [] }, undefined, ten);
  assert.equal(conditions[1]?.message, "10.0.7.19 is Idle, 10.0.7.20 is Idle");
  assert.equal(conditions[1]?.reason, "NoneEstablished");
});

for (const [name, sessions, forwarding, expected] of [
  [
    "none up, nothing left in the kernel",
    [],
    { flood: [], hosts: [] },
    "NoneEstablished: 10.0.7.19 is Idle, 10.0.7.20 is Idle; the kernel has no forwarding entries of peers",
  ],
  [
    "none up, the kernel keeps what stood before",
    [],
    undefined,
    "NoneEstablished: 10.0.7.19 is Idle, 10.0.7.20 is Idle",
  ],
  [
    "none up, hosts without a flood entry",
    [],
    { flood: [], hosts: [{ mac: "02:00:00:00:00:fe", vtep: "10.0.7.19" }] },
    "NoneEstablished: 10.0.7.19 is Idle, 10.0.7.20 is Idle",
  ],
] as const) {
  test(`sessions that are down say whether the network can reach anybody: ${name}`, () => {
    const { conditions } = networkStatus({ ...healthy, sessions, forwarding: () => forwarding }, undefined, ten);
    assert.equal(`${conditions[1]?.reason}: ${conditions[1]?.message}`, expected);
  });
}

test("the revision is the last one that was applied whole", () => {
  const first = networkStatus(healthy, undefined, ten);
  const next = {
    ...healthy,
    network: { ...network, revision: "edge-2" },
    carriedRevision: "edge-2",
    failures: ["ip route add …: File exists"],
  };
  const failed = networkStatus(next, first, eleven);
  assert.equal(failed.revision, "edge-1");
  assert.deepEqual(failed.drift, ["ip route add …: File exists"]);
  assert.equal(failed.conditions[0]?.reason, "ReconcileFailed");
  assert.equal(networkStatus({ ...next, failures: [] }, failed, eleven).revision, "edge-2");
});

test("a foreign object in the way is named as the reason and as drift", () => {
  const conflicts = [{ reason: "ForeignInterface", message: "interface vxlan228 was not made by this agent" }];
  const status = networkStatus({ ...healthy, conflicts }, undefined, ten);
  assert.deepEqual([status.conditions[0]?.status, status.conditions[0]?.reason], ["False", "ForeignInterface"]);
  assert.deepEqual(status.drift, ["interface vxlan228 was not made by this agent"]);
  assert.equal(status.revision, "");
});

test("20,000 foreign routes: a few are named and the rest counted, and a rule is not hidden behind them", () => {
  const routes = Array.from({ length: 20_000 }, (_, index) => ({
    reason: "ForeignRoute",
    message: `route ${index} is not ours`,
  }));
  const conflicts = [...routes, { reason: "ForeignRule", message: "a rule is not ours" }];
  const status = networkStatus({ ...healthy, conflicts }, undefined, ten);
  assert.equal(
    status.conditions[0]?.message,
    "route 0 is not ours; route 1 is not ours; route 2 is not ours; route 3 is not ours; route 4 is not ours; " +
      "and 19995 more; a rule is not ours",
  );
  assert.equal(status.drift.length, 7);
});

test("of one reason with several messages each is told, and each once", () => {
  const told = (message: string) => ({ reason: "PrefixReplaced", message });
  const notices = [told("203.0.113.0/24"), told("198.51.100.0/24"), told("203.0.113.0/24")];
  const { conditions } = networkStatus({ ...healthy, notices }, undefined, ten);
  assert.deepEqual(
    conditions.filter(({ type }) => type === "PrefixReplaced").map(({ message }) => message),
    ["203.0.113.0/24; 198.51.100.0/24"],
  );
});

test("no message is longer than a status may hold, whoever wrote it", () => {
  const notices = [{ reason: "Long", message: "x".repeat(100_000) }];
  const status = networkStatus({ ...healthy, notices, failures: ["y".repeat(100_000)] }, undefined, ten);
  const lengths = [...status.conditions.map(({ message }) => message), ...status.drift].map(({ length }) => length);
  assert.ok(Math.max(...lengths) <= 2048, `${lengths}`);
  const long = status.conditions.find(({ type }) => type === "Long")?.message;
  assert.match(long ?? "", /^x+ … \(98000 characters more\)$/);
});

test("what could not be done is told with what to do, and when it is tried again", () => {
  const message = (...failures: readonly string[]) =>
    networkStatus({ ...healthy, failures }, undefined, ten).conditions[0]?.message;
  // iproute2 6.1 on an interface with net.ipv6.conf.vxlan228.disable_ipv6=1.
  const disabled = "ip -6 route add 2001:db8:1::/64 dev vxlan228: Error: IPv6 is disabled on nexthop device.";
  assert.equal(
    message(disabled, disabled.replace("1::", "2::")),
    `${disabled}; ip -6 route add 2001:db8:2::/64 dev vxlan228: Error: IPv6 is disabled on nexthop device.; the interface has ` +
      "no IPv6: set net.ipv6.conf.default.disable_ipv6=0 and that of the interface, and give it an MTU of 1280 or more " +
      "(RFC 8200, section 5); tried again when something changes, and every 5 s",
  );
  assert.equal(
    message("ip link set dev x up: strange"),
    "ip link set dev x up: strange; tried again when something changes, and every 5 s",
  );
});

test("a network that cannot be planned says why and claims nothing", () => {
  const unplanned = {
    network: "edge",
    device: "vxlan228",
    tables: [228],
    prefixes: [],
    condition: { reason: "NoVtepAddress", message: "no address of 10.0.7.0/24" },
  } as unknown as UnplannedNetwork;
  const status = networkStatus({ ...healthy, plan: unplanned, link: undefined, sessions: [] }, undefined, ten);
  assert.deepEqual(status.interface, { name: "vxlan228", state: "missing" });
  assert.deepEqual(
    status.conditions.map(({ type, reason }) => `${type} ${reason}`),
    ["Applied NoVtepAddress"],
  );
  assert.equal(
    status.conditions[0]?.message,
    "no address of 10.0.7.0/24; give the node an address of vxlan.nodeNet on an interface that is up, or keep it out with " +
      "nodeSelector",
  );
});

test("an orphan, and what the plan and the loop have to say, are conditions of their own", () => {
  const orphan = { ...network, notice: { type: "Orphaned", reason: "PublicNetworkMissing", message: "kept" } as const };
  const warned = { ...plan, conditions: [{ reason: "MtuTooLarge", message: "1550 is used" }] };
  const notices = [{ reason: "AnsweredElsewhere", message: "IPv6" }];
  const { conditions } = networkStatus({ ...healthy, network: orphan, plan: warned, notices }, undefined, ten);
  assert.deepEqual(
    conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    [
      "AnsweredElsewhere True AnsweredElsewhere",
      "Applied True Applied",
      "MtuTooLarge True MtuTooLarge",
      "Orphaned True PublicNetworkMissing",
      "SessionsEstablished True AllEstablished",
    ],
  );
});

test("what the peers' routes put into the kernel, which costs a look at all of them, is asked only while no session is up", () => {
  const forwarding = () => assert.fail("asked");
  const [up] = healthy.sessions;
  for (const sessions of [healthy.sessions, up === undefined ? [] : [up]]) {
    networkStatus({ ...healthy, sessions, forwarding }, undefined, ten);
  }
});
