import assert from "node:assert/strict";
import { test } from "node:test";
import { NetworkRib } from "../../../agent-image/agent/evpn/network-rib.js";
import { hex } from "../bgp/bytes.js";
import { plan228, plan240 } from "./plan.js";
import { host } from "./received-routes.js";
import { accept, endOfRib, established, messageType, type Setting, sent } from "./speaker-setting.js";

const { update, notification, keepalive } = messageType;

/** A Type-3 of a leaf 10.0.7.X, as FRR 8.4.4 writes it. */
function floodOf(leaf: number): Buffer {
  const body = hex(`
    0000 004e
    900e001c 0019 46 04 0a000713 00  03 11 0001 0a000713 0002 00000000 20 0a000700
    400101 00  50020000  400504 00000064
    c01010 030c000000000008 0002fde9000000e4  c01609 00 06 0000e4 0a000713`);
  // The originator of the Type-3, behind its RD and tag, makes it another route.
  body.writeUInt8(leaf, 4 + 4 + 9 + 2 + 8 + 4 + 1 + 3);
  return body;
}

async function tell({ peers, clock }: Setting, from: number, to: number): Promise<void> {
  for (let leaf = from; leaf <= to; leaf += 1) {
    peers.last.send(update, floodOf(leaf));
  }
  await clock.advance(0);
}

function reasons({ speaker }: Setting, network = "a"): string[] {
  const reported = (speaker.notices().get(network) ?? []).map(({ reason }) => reason);
  return reported.filter((reason) => reason !== "PeerKeepsNoRoutes");
}

const limited = { ...plan228, maxRoutes: 8 };

/** With one route more than the eight that are taken. */
async function overLimit(): Promise<Setting> {
  const made = await established({ a: limited });
  made.peers.last.take();
  await tell(made, 1, 9);
  return made;
}

test("three quarters of the routes that are taken are a warning, in log and status", async () => {
  const warnings: unknown[] = [];
  const made = await established(
    { a: limited },
    {
      log: (message, fields) => {
        if (message.includes("limit")) warnings.push(fields);
      },
    },
  );
  await tell(made, 1, 5);
  assert.deepEqual([reasons(made), warnings], [[], []]);
  await tell(made, 6, 8);
  assert.equal(made.speaker.sessions("a")[0]?.state, "Established");
  assert.deepEqual(warnings, [{ local: "10.0.7.11", peer: "10.0.7.19", routes: 6, routeLimit: 8 }]);
  assert.deepEqual(reasons(made), ["RoutesNearLimit"]);
  assert.equal(
    made.speaker.notices().get("a")?.[0]?.message,
    "three quarters of the routes that are taken have come from 10.0.7.19 (8): let it send only those of the networks that this " +
      "node carries, or raise bgp.maxRoutes",
  );
});

test("a peer that loses the session and sends others each time piles up no more than twice of them", async () => {
  const made = await established({ a: limited });
  made.peers.last.send(update, endOfRib);
  let leaf = 1;
  for (let session = 0; session < 4; session += 1) {
    await tell(made, leaf, leaf + 7);
    leaf += 8;
    assert.equal(made.speaker.sessions("a")[0]?.state, "Established");
    assert.ok((made.speaker.forwarding("a")?.flood.length ?? 0) <= 16);
    const { length } = made.peers.connections;
    made.peers.last.close();
    while (made.peers.connections.length === length) await made.clock.advance(1000);
    await accept(made);
  }
});

test("one more ends the session with family and limit, and the peer is left alone for minutes", async () => {
  const made = await overLimit();
  const { speaker, peers, clock } = made;
  // RFC 4486 section 4, in a Hard Reset (RFC 8538 section 3): Cease 6/1 with AFI, SAFI and the upper bound.
  assert.deepEqual(peers.last.take(), sent([notification, hex("0609 0601 0019 46 00000008")]));
  assert.deepEqual(reasons(made), ["RouteLimitReached"]);
  assert.equal(
    speaker.sessions("a")[0]?.lastError,
    "the peer sent more than 8 routes and is left alone for some minutes; let it send only those of the networks that this node " +
      "carries, or raise bgp.maxRoutes",
  );
  await clock.advance(224_000);
  assert.equal(peers.connections.length, 1);
  assert.deepEqual(reasons(made), ["RouteLimitReached"]);
  await clock.advance(76_000);
  assert.equal(peers.connections.length, 2, "with jitter between three quarters and the whole of 300 s");
});

test("the wait is as long after a session that stood for a day", async () => {
  const made = await established({ a: limited });
  for (let second = 0; second < 3600; second += 5) {
    made.peers.last.send(keepalive, Buffer.alloc(0));
    await made.clock.advance(5000);
  }
  await tell(made, 1, 9);
  await made.clock.advance(224_000);
  assert.equal(made.peers.connections.length, 1);
});

test("a limit that is raised counts at once, on a session that stands and for a peer that is left alone", async () => {
  const made = await overLimit();
  void made.speaker.setNetworks([{ network: "a", plan: { ...limited, maxRoutes: 20 } }]);
  await made.clock.advance(0);
  assert.equal(made.peers.connections.length, 2);

  const standing = await established({ a: limited });
  await tell(standing, 1, 8);
  void standing.speaker.setNetworks([{ network: "a", plan: { ...limited, maxRoutes: 20 } }]);
  await tell(standing, 9, 14);
  assert.deepEqual([standing.peers.connections.length, reasons(standing)], [1, []]);
  void standing.speaker.setNetworks([{ network: "a", plan: { ...limited, maxRoutes: 10 } }]);
  await standing.clock.advance(0);
  assert.deepEqual(reasons(standing), ["RouteLimitReached"], "and one that is lowered too");
});

test("of networks that share the session the largest number counts", async () => {
  for (const maxRoutes of [4, 20, undefined]) {
    const other = { ...plan240, ...(maxRoutes === undefined ? {} : { maxRoutes }) };
    const made = await established({ a: limited, b: other });
    await tell(made, 1, 9);
    const state = maxRoutes === 4 ? "Idle" : "Established";
    assert.equal(made.speaker.sessions("a")[0]?.state, state, `${maxRoutes}`);
  }
});

const mac = (index: number) => `02:00:00:00:99:0${index}`;
const hosts = (rib: NetworkRib) => rib.forwarding().hosts.map((entry) => entry.mac);

test("MACs beyond the limit are not for the kernel, and follow when others go", () => {
  const rib = new NetworkRib({ ...plan228, maxMacs: 4 });
  rib.takeWhole();
  const routes = [1, 2, 3, 4, 5, 6].map((index) => host({ mac: mac(index) }));
  const told = () =>
    rib.takeChanges().hosts.map(({ mac: of, vtep }) => `${vtep === undefined ? "-" : "+"}${of.at(-1)}`);
  const fills = routes.map((route) => {
    rib.add(route);
    return rib.macs;
  });
  assert.deepEqual(fills, ["fine", "fine", "near the limit", "near the limit", "over the limit", "over the limit"]);
  assert.deepEqual(told(), ["+1", "+2", "+3", "+4"]);
  assert.deepEqual(hosts(rib), [1, 2, 3, 4].map(mac));

  const [, second, , , fifth, sixth] = routes;
  assert.ok(second && fifth && sixth);
  rib.remove(second);
  assert.deepEqual(told(), ["-2", "+5"], "the one that came first");
  rib.remove(sixth);
  assert.deepEqual(told(), []);
  assert.equal(rib.macs, "near the limit");
  rib.add(second);
  assert.deepEqual(told(), [], "one that went has to wait like a new one");
});

test("a MAC that has its place keeps it when it moves, and another address of it takes none", () => {
  const rib = new NetworkRib({ ...plan228, maxMacs: 2 });
  rib.takeWhole();
  const first = host({ mac: mac(1) });
  for (const route of [first, host({ mac: mac(2) }), host({ mac: mac(3) })]) {
    rib.add(route);
  }
  rib.takeChanges();
  rib.add(host({ mac: mac(2), ip: "203.0.113.2" }));
  rib.remove(first);
  rib.add(host({ mac: mac(1), vtep: "10.0.7.20", routeDistinguisher: "10.0.7.19:2", sequence: 1 }));
  assert.deepEqual(rib.takeChanges().hosts, [{ mac: mac(1), vtep: "10.0.7.20" }]);
});

test("a network says that its MACs come near the limit, and that they are over it", async () => {
  const type2 = (index: number) => {
    const body = hex(`
      0000 0052
      900e002c 0019 46 04 0a000713 00
        02 21 0001 0a000713 0002 00000000000000000000 00000000 30 020000009900 00 0000e4
      400101 00  50020000  400504 00000064
      c01010 030c000000000008 0002fde9000000e4`);
    body.writeUInt8(index, 4 + 4 + 9 + 2 + 8 + 10 + 4 + 1 + 5);
    return body;
  };
  const made = await established({ a: { ...plan228, maxMacs: 4 } });
  const seen: string[][] = [];
  for (let index = 1; index <= 5; index += 1) {
    made.peers.last.send(update, type2(index));
    made.peers.last.send(update, endOfRib);
    await made.clock.advance(0);
    seen.push(reasons(made));
  }
  assert.deepEqual(seen, [[], [], ["MacsNearLimit"], ["MacsNearLimit"], ["MacLimitReached"]]);
  assert.equal(made.speaker.forwarding("a")?.hosts.length, 4);
});
