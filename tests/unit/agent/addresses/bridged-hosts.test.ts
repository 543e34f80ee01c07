import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  BridgedHosts,
  type BridgeView,
  type HostEntry,
} from "../../../../agent-image/agent/addresses/bridged-hosts.js";

const second = 1_000;
const minute = 60 * second;
const one = { mac: "02:00:00:00:00:50", port: "tap0" } as const;
const two = { mac: "02:00:00:00:00:51", port: "tap1" } as const;
const address = "203.0.113.50";

const view = (entries: readonly HostEntry[], ports = ["tap0", "tap1"]): BridgeView => ({
  ports: new Set(ports),
  entries,
});
const begin = (limit = 1000) => new BridgedHosts(limit, [], 0);

/** Lets time pass, with nobody answering; what was asked by then. */
function pass(hosts: BridgedHosts, from: number, to: number): { readonly at: number; readonly asked: string }[] {
  const asked: { readonly at: number; readonly asked: string }[] = [];
  for (let now = from; now <= to; now += second) {
    for (const { port, address: of } of hosts.takeQuestions(now, 100))
      asked.push({ at: now, asked: `${of} by ${port}` });
  }
  return asked;
}

describe("a host behind a port of the bridge", () => {
  test("is known by the bridge's entry, and has the addresses that it spoke for", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: [] }]);
    hosts.hear(one.mac, "203.0.113.51", 1);
    hosts.hear(one.mac, address, 2);
    hosts.hear(one.mac, "2001:db8:228::50", 3);
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: ["2001:db8:228::50", address, "203.0.113.51"] }]);
  });

  test("that spoke before its entry was read has its address; one that is behind another VTEP has not", () => {
    const hosts = begin();
    hosts.hear(one.mac, address, 0);
    hosts.hear("02:00:00:00:99:99", "203.0.113.99", 0);
    hosts.seeBridge(view([one]), 900);
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: [address] }]);
    hosts.seeBridge(view([one, { mac: "02:00:00:00:99:99", port: "tap1" }]), 2_000);
    assert.deepEqual(hosts.hosts[1]?.addresses, [], "what was said long before an entry says nothing");
  });

  test("C13: stays while the bridge has forgotten it and it answers, however often that is", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    hosts.hear(one.mac, address, 0);
    for (let now = 10_000; now < 10 * minute; now += 10_000) {
      hosts.seeBridge(view([]), now);
      assert.deepEqual(hosts.takeQuestions(now, 100), [{ port: "tap0", address }]);
      assert.deepEqual(hosts.hosts, [{ ...one, addresses: [address] }]);
      hosts.hear(one.mac, address, now + 1);
      hosts.seeBridge(view([one]), now + 2);
    }
  });

  test("that answers nothing for a minute after the bridge has forgotten it is gone, and not before", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    hosts.hear(one.mac, address, 0);
    hosts.seeBridge(view([]), 30_000);
    const asked = pass(hosts, 30_000, 89_000);
    assert.deepEqual(
      asked.map(({ at }) => at),
      [30_000, 40_000, 50_000, 60_000, 70_000, 80_000],
    );
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: [address] }]);
    pass(hosts, 90_000, 90_000);
    assert.deepEqual(hosts.hosts, []);
  });

  test("that says nothing is asked after two minutes; an address for which it does not answer is taken from it alone", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    hosts.hear(one.mac, address, 0);
    hosts.hear(one.mac, "203.0.113.60", 0);
    assert.deepEqual(pass(hosts, 0, 119_000), []);
    assert.deepEqual(
      hosts.takeQuestions(120_000, 100).map((question) => question.address),
      [address, "203.0.113.60"],
    );
    hosts.hear(one.mac, address, 120_500);
    pass(hosts, 121_000, 180_000);
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: [address] }]);
  });

  test("goes with its port at once: taken out of the bridge, or without a carrier", () => {
    const hosts = begin();
    hosts.seeBridge(view([one, two]), 0);
    hosts.hear(one.mac, address, 0);
    hosts.seeBridge(view([one, two], ["tap1"]), 1);
    assert.deepEqual(hosts.hosts, [{ ...two, addresses: [] }]);
  });

  test("of which no address is known goes with its entry: nothing can be asked", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    hosts.seeBridge(view([]), 1);
    assert.deepEqual(hosts.hosts, []);
  });

  test("keeps its addresses where it comes to another port", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    hosts.hear(one.mac, address, 0);
    hosts.seeBridge(view([{ ...one, port: "tap1" }]), 1);
    assert.deepEqual(hosts.hosts, [{ mac: one.mac, port: "tap1", addresses: [address] }]);
  });

  test("has an address from the host that had it, by its word", () => {
    const hosts = begin();
    hosts.seeBridge(view([one, two]), 0);
    hosts.hear(one.mac, address, 0);
    hosts.hear(two.mac, address, 1);
    assert.deepEqual(hosts.hosts, [
      { ...one, addresses: [] },
      { ...two, addresses: [address] },
    ]);
  });

  test("is asked at once where somebody who is not behind this node speaks for its address, and not with each such frame", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    hosts.hear(one.mac, address, 0);
    hosts.hear("02:00:00:00:99:99", address, 1_000);
    assert.deepEqual(hosts.takeQuestions(1_000, 100), [{ port: "tap0", address }]);
    for (let now = 1_100; now < 11_000; now += 100) {
      hosts.hear("02:00:00:00:99:99", address, now);
      assert.deepEqual(hosts.takeQuestions(now, 100), []);
    }
    pass(hosts, 11_000, 61_000);
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: [] }], "it does not answer for it any more");
  });

  test("that was known before a restart is asked at once, stays by its answer, and goes without its port", () => {
    const kept = [
      { ...one, addresses: [address] },
      { ...two, addresses: ["203.0.113.51"] },
    ];
    const hosts = new BridgedHosts(1000, kept, 0);
    hosts.seeBridge(view([], ["tap0"]), 10);
    assert.deepEqual(hosts.hosts, [kept[0]]);
    assert.deepEqual(hosts.takeQuestions(10, 100), [{ port: "tap0", address }]);
    hosts.hear(one.mac, address, 20);
    hosts.seeBridge(view([one], ["tap0"]), 30);
    assert.deepEqual(hosts.hosts, [kept[0]]);
  });

  test("with which the node itself has talked has that address until it does not answer", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    hosts.suppose(one.mac, address, 0);
    hosts.suppose("02:00:00:00:99:99", "203.0.113.99", 0);
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: [address] }]);
    assert.deepEqual(hosts.takeQuestions(0, 100), [{ port: "tap0", address }]);
    pass(hosts, 10_000, 60_000);
    assert.deepEqual(hosts.hosts, [{ ...one, addresses: [] }]);
  });
});

describe("limits", () => {
  test("hosts beyond the limit are not taken, told of, and taken when others go", () => {
    const hosts = begin(1);
    hosts.seeBridge(view([one, two]), 0);
    assert.deepEqual([hosts.hosts, hosts.isFull], [[{ ...one, addresses: [] }], true]);
    hosts.seeBridge(view([two]), 1);
    assert.deepEqual([hosts.hosts, hosts.isFull], [[{ ...two, addresses: [] }], false]);
  });

  test("a host that speaks for a whole prefix has 64 addresses of it, and is named", () => {
    const hosts = begin();
    hosts.seeBridge(view([one]), 0);
    for (let host = 1; host <= 100; host += 1) hosts.hear(one.mac, `2001:db8:228::${host}`, host);
    assert.deepEqual([hosts.hosts[0]?.addresses.length, hosts.crowded], [64, [one.mac]]);
  });

  test("of many silent hosts as many are asked at once as may be, and the others at the next look", () => {
    const many = Array.from({ length: 150 }, (_, host) => ({
      mac: `02:00:00:00:01:${host.toString(16).padStart(2, "0")}`,
      port: "tap0",
    }));
    const hosts = begin();
    hosts.seeBridge(view(many), 0);
    for (const [host, { mac }] of many.entries()) hosts.hear(mac, `203.0.113.${host}`, 0);
    assert.deepEqual([hosts.takeQuestions(120_000, 100).length, hosts.takeQuestions(121_000, 100).length], [100, 50]);
  });

  test("what hosts of other nodes say does not fill the memory", () => {
    const hosts = begin();
    for (let host = 0; host < 5_000; host += 1)
      hosts.hear("02:00:00:00:99:99", `2001:db8:228::${host.toString(16)}`, 0);
    hosts.seeBridge(view([{ mac: "02:00:00:00:99:99", port: "tap0" }]), 1);
    assert.equal(hosts.hosts[0]?.addresses.length, 64);
  });
});
