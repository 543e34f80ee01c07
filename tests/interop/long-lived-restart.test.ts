import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ForwardingState } from "../../agent-image/agent/evpn/forwarding-state.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { fabricPlan, network } from "./fabric-plan.js";
import { GobgpDaemon, type RouteWords } from "./gobgp-daemon.js";
import { MessageCapture } from "./message-capture.js";
import { inFabric, RemoteSpeaker } from "./remote-speaker.js";

/**
 * Long-lived graceful restart (RFC 9494) with GoBGP: a reflector that keeps the routes of a leaf that died and says so, and that
 * dies itself. Two leaves have the same host; the one with the lower VTEP address counts as long as it lives.
 */

const plan = fabricPlan("10.0.7.18");
const shared = "02:00:00:00:99:01";
const alone = "02:00:00:00:99:02";
const shortLived = "02:00:00:00:99:03";

/** Seconds. */
const restartTime = 2;
const staleTime = 6;

let fabric: TestNamespaces;
let speaker: RemoteSpeaker;
let reflector: GobgpDaemon;
let lower: GobgpDaemon;
let capture: MessageCapture;

const common = { asn: 65001, holdTime: 9, restartTime };
const neighbour = { asn: 65001, client: true };

function leafSettings(host: number) {
  return {
    ...common,
    routerId: `10.0.7.${host}`,
    staleTime: 60,
    neighbours: [{ address: "10.0.7.18", asn: 65001, active: true }],
  };
}

function routesOf(vtep: string, ...macs: readonly (readonly [mac: string, ...more: string[]])[]): RouteWords[] {
  const communities = ["rd", `${vtep}:228`, "rt", "65001:228", "encap", "vxlan"];
  return [
    ["multicast", vtep, "etag", "0", ...communities, "pmsi", "ingress-repl", "228", vtep, "nexthop", vtep],
    ...macs.map(([mac, ...more]) => [
      ...["macadv", mac, "0.0.0.0", "etag", "0", "label", "228", ...communities, "nexthop", vtep, ...more],
    ]),
  ];
}

before(async () => {
  fabric = await startFabric({ n1: 20, rr: 18, leaf1: 11, leaf2: 30 });
  capture = await MessageCapture.start(fabric, "n1");
  reflector = await GobgpDaemon.start(fabric, "rr", "v4", {
    ...common,
    routerId: "10.0.7.18",
    staleTime,
    neighbours: ["10.0.7.20", "10.0.7.11", "10.0.7.30"].map((address) => ({ ...neighbour, address })),
  });
  lower = await GobgpDaemon.start(fabric, "leaf1", "v4", leafSettings(11));
  const higher = await GobgpDaemon.start(fabric, "leaf2", "v4", leafSettings(30));
  await lower.announce(...routesOf("10.0.7.11", [shared], [alone], [shortLived, "community", "no-llgr"]));
  await higher.announce(...routesOf("10.0.7.30", [shared]));
  speaker = new RemoteSpeaker(inFabric(fabric), "n1");
  await speaker.setNetworks([{ network, plan }]);
  await speaker.initialStateKnown();
});

after(async () => {
  await speaker?.kill();
  await fabric?.end();
});

const until = (what: string, holds: (state: ForwardingState) => boolean) =>
  speaker.untilForwarding(network, what, holds, 30_000);

const vtepOf = (state: ForwardingState, mac: string) => state.hosts.find((host) => host.mac === mac)?.vtep;

test("as long as both leaves live the lower VTEP address has the host of both", async () => {
  await until("three hosts and both leaves", ({ hosts, flood }) => hosts.length === 3 && flood.length === 2);
  await until("the lower address", (state) => vtepOf(state, shared) === "10.0.7.11");
});

test("a leaf that died is the least preferred when the reflector says LLGR_STALE, and stays where nobody else is", async () => {
  await lower.stop("SIGKILL");
  await until("the other leaf", (state) => vtepOf(state, shared) === "10.0.7.30");
  const state = await speaker.forwarding(network);
  assert.ok(state !== undefined);
  assert.equal(vtepOf(state, alone), "10.0.7.11");
  assert.deepEqual(state.flood, ["10.0.7.11", "10.0.7.30"]);
  await until("no host with NO_LLGR", ({ hosts }) => hosts.every(({ mac }) => mac !== shortLived));
});

test("a reflector that dies is waited for over its restart time and the time that it asked for, and no longer", async () => {
  await lower.startAgain();
  await lower.announce(...routesOf("10.0.7.11", [shared], [alone], [shortLived, "community", "no-llgr"]));
  await until(
    "the leaf as fresh as before",
    (state) => vtepOf(state, shared) === "10.0.7.11" && state.hosts.length === 3,
  );
  const before = performance.now();
  await reflector.stop("SIGKILL");
  await until("no host with NO_LLGR", ({ hosts }) => hosts.every(({ mac }) => mac !== shortLived));
  assert.ok(performance.now() - before >= restartTime * 1000);
  await until(
    "the others, until their time is up as well",
    ({ hosts, flood }) => hosts.length === 0 && flood.length === 0,
  );
  assert.ok(performance.now() - before >= (restartTime + staleTime) * 1000);
});

test("one that is back before that brings its routes as fresh ones", async () => {
  await reflector.startAgain();
  await until("hosts of both leaves", ({ hosts, flood }) => hosts.length === 3 && flood.length === 2);
  await reflector.stop("SIGKILL");
  await until("no host with NO_LLGR", ({ hosts }) => hosts.every(({ mac }) => mac !== shortLived));
  await reflector.startAgain();
  await until("all three again", ({ hosts, flood }) => hosts.length === 3 && flood.length === 2);
});

test("an independent decoder finds nothing wrong in what we sent", async () => {
  await capture.assertWellFormed("ip.src == 10.0.7.20", ["1", "2", "4"]);
});
