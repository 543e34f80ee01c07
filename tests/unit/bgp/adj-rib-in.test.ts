import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUpdate } from "../../../agent-image/agent/bgp/codec/update.js";
import { AdjRibIn } from "../../../agent-image/agent/bgp/rib/adj-rib-in.js";
import { hex } from "./bytes.js";
import * as captured from "./captured.js";

const internal = { fourOctetAs: true, internal: true };
const loopCheck = { localAsn: 65001, internal: true, routerId: "10.0.0.1" };
const target = "65001:228";

function ribWith(...bodies: readonly Buffer[]): AdjRibIn {
  const rib = new AdjRibIn(loopCheck);
  for (const body of bodies) {
    rib.apply(decodeUpdate(body, internal));
  }
  return rib;
}

function names(rib: AdjRibIn, targets: readonly string[] = [target]): string[] {
  return rib.importedBy(targets).map(({ route, traits, stale }) => {
    const name = route.kind === "mac-ip" ? `${route.mac} ${route.ip ?? "-"}` : route.originator;
    return [name, traits.sequence, ...(stale ? ["stale"] : [])].join(" ");
  });
}

test("FRR's withdrawal with label 0 removes what it announced with the VNI", () => {
  const rib = ribWith(captured.frrMacAndMacIp);
  assert.deepEqual(names(rib), ["02:00:00:00:00:aa - 0", "02:00:00:00:00:aa 203.0.113.50 0"]);
  const before = rib.importedBy([target]);
  const changes = rib.apply(decodeUpdate(captured.frrWithdrawal, internal));
  assert.equal(changes.length, 2);
  assert.ok(
    changes.every(({ before: gone, after }) => gone !== undefined && before.includes(gone) && after === undefined),
    "the same objects that came",
  );
  assert.equal(rib.size, 0);
});

test("a route that is announced again replaces the one before", () => {
  const rib = ribWith(captured.frrMacAndMacIp);
  const changes = rib.apply(decodeUpdate(captured.frrMoved, internal));
  assert.deepEqual(
    changes.map(({ before, after }) => [before?.traits.sequence, after?.traits.sequence]),
    [
      [0, 1],
      [0, 1],
    ],
  );
  assert.deepEqual(names(rib), ["02:00:00:00:00:aa - 1", "02:00:00:00:00:aa 203.0.113.50 1"]);
});

test("a route is found by each of its route targets, once", () => {
  const twoTargets = hex(`
    0000 0041
    900e001c 0019 46 04 0a000009 00
      03 11 00010a0000090002 00000000 20 0a000009
    400101 00  400200  400504 00000064
    c01010 0002fde9000000e4 0002fdea000000e4`);
  const rib = ribWith(twoTargets);
  assert.equal(rib.importedBy(["65001:228", "65002:228"]).length, 1);
  assert.equal(rib.importedBy(["65002:228"]).length, 1);
  assert.equal(rib.importedBy(["65003:228"]).length, 0);
});

test("of two begins of a replay the second counts: what came between them has to come again (RFC 7313 section 4)", () => {
  const rib = ribWith(captured.frrMacAndMacIp, captured.frrInclusiveMulticast);
  rib.beginRefresh();
  rib.apply(decodeUpdate(captured.frrMacAndMacIp, internal));
  rib.beginRefresh();
  rib.apply(decodeUpdate(captured.frrInclusiveMulticast, internal));
  assert.equal(rib.endRefresh().length, 2);
  assert.deepEqual(names(rib), ["10.0.0.9 0"]);
  assert.deepEqual(rib.endRefresh(), []);
});

test("what counts towards the limit is what this session brought, by what it takes: eight route targets are one route", () => {
  const rib = ribWith(captured.frrMacAndMacIp);
  assert.equal(rib.held, 2);
  rib.markStale();
  assert.deepEqual([rib.held, rib.heldStale], [0, 2]);
  rib.apply(decodeUpdate(captured.frrInclusiveMulticast, internal));
  assert.deepEqual([rib.held, rib.heldStale, rib.size], [1, 2, 3]);
  rib.markStale();
  assert.deepEqual([rib.held, rib.heldStale], [0, 3]);
  rib.apply(decodeUpdate(captured.frrInclusiveMulticast, internal));
  rib.removeStale();
  assert.deepEqual([rib.held, rib.heldStale], [1, 0]);
  const targets = (count: number) => "0002fde9000000e4".repeat(count);
  for (const [count, weight] of [
    [8, 1],
    [9, 2],
    [31, 4],
  ] as const) {
    const attributes = `900e001c 0019 46 04 0a000009 00 03 11 00010a0000090002 00000000 20 0a000009
      400101 00 400200 400504 00000064 c010 ${(count * 8).toString(16).padStart(2, "0")} ${targets(count)}`;
    const field = hex(attributes);
    const lengths = hex("0000 0000");
    lengths.writeUInt16BE(field.length, 2);
    rib.apply(decodeUpdate(Buffer.concat([lengths, field]), internal));
    assert.deepEqual([rib.held, rib.size], [weight, 1]);
  }
  rib.clear();
  assert.equal(rib.held, 0);
});

test("Type-1, Type-4 and Type-5 are read and not kept: nothing is forwarded by them", () => {
  const bodies = [captured.gobgpEthernetAutoDiscovery, captured.gobgpEthernetSegment, captured.gobgpIpPrefix];
  const announced = bodies.flatMap((body) => decodeUpdate(body, internal).announced);
  assert.deepEqual(
    announced.map(({ kind }) => kind),
    ["ethernet-auto-discovery", "ethernet-segment", "ip-prefix"],
  );
  const rib = ribWith(...bodies);
  assert.equal(rib.held, 0);
  assert.deepEqual([...rib.routeTargets], []);
});

test("our own route that a reflector sends back is not taken, and replaces what was there (RFC 4456 section 8)", () => {
  const attributes = captured.frrInclusiveMulticast;
  const withOriginator = (id: string) => {
    const body = Buffer.concat([attributes, hex(`800904 ${id}`)]);
    body.writeUInt16BE(attributes.length - 4 + 7, 2);
    return body;
  };
  const rib = ribWith(withOriginator("0a000002"));
  assert.deepEqual(names(rib), ["10.0.0.9 0"]);
  const changes = rib.apply(decodeUpdate(withOriginator("0a000001"), internal));
  assert.deepEqual(
    changes.map(({ before, after }) => [before?.nextHop, after]),
    [["10.0.0.9", undefined]],
  );
  assert.equal(rib.size, 0);
});

test("an external route with our AS in its path is not taken (RFC 4271 section 9.1.2)", () => {
  const body = (as: string) =>
    hex(`
      0000 0037
      800e1c 0019 46 04 0a000009 00
        03 11 00010a0000090002 00000000 20 0a000009
      400101 00
      400206 0201 ${as}
      c01008 0002fde9000000e4`);
  const rib = new AdjRibIn({ ...loopCheck, internal: false });
  const decode = (as: string) => decodeUpdate(body(as), { fourOctetAs: true, internal: false });
  rib.apply(decode("0000fde9"));
  assert.deepEqual([rib.size, rib.withOwnAs], [0, 1]);
  rib.apply(decode("0000fdea"));
  assert.deepEqual([rib.size, rib.withOwnAs], [1, 0]);
});

test("our AS in the path as often as is allowed is taken, in one segment or in several; once more is not", () => {
  const body = (length: string, path: string) =>
    hex(`
      0000 ${length}
      800e1c 0019 46 04 0a000009 00
        03 11 00010a0000090002 00000000 20 0a000009
      400101 00
      4002 ${path}
      c01008 0002fde9000000e4`);
  // AS 65010, 65001; the same with one more 65001 behind, and in a set of its own (RFC 4271 section 4.3).
  const once = body("003b", "0a 0202 0000fdf2 0000fde9");
  const twice = body("003f", "0e 0203 0000fdf2 0000fde9 0000fde9");
  const inSet = body("0041", "10 0202 0000fdf2 0000fde9 0101 0000fde9");
  const takes = (allowOwnAs: number, path: Buffer) => {
    const rib = new AdjRibIn({ ...loopCheck, internal: false, allowOwnAs });
    rib.apply(decodeUpdate(path, { fourOctetAs: true, internal: false }));
    assert.equal(rib.size + rib.withOwnAs, 1);
    return rib.size === 1;
  };
  assert.deepEqual(
    [0, 1, 2].map((allowed) => [once, twice, inSet].map((path) => takes(allowed, path))),
    [
      [false, false, false],
      [true, false, false],
      [true, true, true],
    ],
  );
});

test("after a loss routes stay as stale; what is not sent again goes at End-of-RIB (RFC 4724 section 4.2)", () => {
  const rib = ribWith(captured.frrMacAndMacIp, captured.frrInclusiveMulticast);
  rib.markStale();
  assert.deepEqual(names(rib), [
    "02:00:00:00:00:aa - 0 stale",
    "02:00:00:00:00:aa 203.0.113.50 0 stale",
    "10.0.0.9 0 stale",
  ]);
  rib.apply(decodeUpdate(captured.frrInclusiveMulticast, internal));
  assert.equal(rib.removeStale().length, 2);
  assert.deepEqual(names(rib), ["10.0.0.9 0"]);
  rib.clear();
  assert.deepEqual(names(rib), []);
});
