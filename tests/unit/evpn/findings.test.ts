import assert from "node:assert/strict";
import { test } from "node:test";
import { type PeerRoutes, routeFindings } from "../../../agent-image/agent/evpn/findings.js";
import { flood, host } from "./received-routes.js";

const own = { vtep: "10.0.7.11", mac: "02:00:00:00:00:11", localAsn: 65001, importRouteTargets: ["65001:228"] };
const silent: PeerRoutes = {
  peer: "10.0.7.19",
  external: false,
  imported: [],
  unmatchedTargets: [],
  withOwnAs: 0,
  keepsRoutes: true,
};
const leaf = [flood("10.0.7.19", "10.0.7.19"), host({ mac: "02:00:00:00:00:01" })];

function findings(...peers: readonly Partial<PeerRoutes>[]): string[] {
  return routeFindings(
    own,
    peers.map((peer) => ({ ...silent, ...peer })),
  ).map(({ reason, message }) => `${reason}: ${message}`);
}

test("nothing is found where a peer has sent nothing, or routes of this network", () => {
  assert.deepEqual(findings({}), []);
  assert.deepEqual(findings({ imported: leaf }), []);
  assert.deepEqual(findings(), []);
});

test("an external peer that sends nothing is named with what keeps its routes back (RFC 8212)", () => {
  const external = { external: true };
  assert.deepEqual(findings(external, { ...external, peer: "10.0.7.20", imported: leaf }), [
    "PeerSendsNoRoutes: 10.0.7.19 is in another AS and sends not one route: without a policy that lets them out and ours in many " +
      "routers pass none (RFC 8212; FRR: bgp ebgp-requires-policy); it is in order only while no other VTEP is behind it",
  ]);
  assert.deepEqual(findings({ ...external, imported: leaf }), []);
  assert.match(findings({ ...external, withOwnAs: 3 })[0] ?? "", /^OwnAsInPath/);
});

test("C6: no route matches the route target, with those that were seen", () => {
  assert.deepEqual(
    findings(
      { unmatchedTargets: ["65001:10228", "65000:228"] },
      { peer: "10.0.7.20", unmatchedTargets: ["65000:228"] },
    ),
    [
      "NoRouteMatches: routes came from 10.0.7.19, 10.0.7.20, but none with a route target that is imported (65001:228); " +
        "seen: 65000:228, 65001:10228; if one of them is this network's, set bgp.importRouteTargets",
    ],
  );
  assert.deepEqual(findings({ unmatchedTargets: ["65000:228"] }, { peer: "10.0.7.20", imported: leaf }), []);
});

test("only some of many route targets are named", () => {
  const unmatchedTargets = Array.from({ length: 9 }, (_, index) => `65001:10${index}`);
  assert.match(
    findings({ unmatchedTargets })[0] ?? "",
    /seen: 65001:100, 65001:101, 65001:102, 65001:103, 65001:104, 4 more;/,
  );
});

test("routes are refused for our AS in their path", () => {
  assert.deepEqual(findings({ withOwnAs: 3 }), [
    "OwnAsInPath: 3 routes from 10.0.7.19 were refused because our AS 65001 is in their path (RFC 4271 section 9.1.2); " +
      "where others of the fabric have this AS too, set bgp.allowOwnAs to 1, or give the nodes an AS of their own",
  ]);
  assert.deepEqual(findings({ withOwnAs: 3, imported: leaf }), [], "by another way they came");
});

test("C7: a transit rewrites the next hop of hosts, so that only flooded frames arrive", () => {
  const rewritten = [
    flood("10.0.7.19", "10.0.7.19"),
    host({ mac: "02:00:00:00:00:01", vtep: "10.0.9.1", routeDistinguisher: "10.0.7.19:2" }),
    host({ mac: "02:00:00:00:00:02", vtep: "10.0.9.1", routeDistinguisher: "10.0.7.19:2" }),
    host({ mac: "02:00:00:00:00:03", vtep: "10.0.7.21", routeDistinguisher: "10.0.7.21:2" }),
  ];
  assert.deepEqual(findings({ imported: rewritten }), [
    "NextHopRewritten: hosts are announced behind another VTEP than the one that floods for them: 10.0.7.19 as 10.0.9.1; a " +
      "router on the way rewrites the next hop, so unicast frames get lost: keep it there (next-hop-unchanged)",
  ]);
});

test("peers that forget our routes when the agent restarts are named", () => {
  assert.deepEqual(findings({ imported: leaf, keepsRoutes: false }, { peer: "10.0.7.20" }), [
    "PeerKeepsNoRoutes: 10.0.7.19 does not offer graceful restart for L2VPN EVPN: while the agent of this node restarts, its " +
      "routes are gone there until the session is back; traffic that comes in through them stops for so long",
  ]);
});

test("somebody else announces our MAC; a route of before that is kept, and our own that came back, are nobody else's", () => {
  const ours = { mac: "02:00:00:00:00:11" };
  assert.deepEqual(findings({ imported: [host({ ...ours, vtep: "10.0.7.12" })] }), [
    "DuplicateMac: 10.0.7.12 announces our MAC 02:00:00:00:00:11 too; frames for this node may go there: find the second host " +
      "or the agent with the same VTEP address, and take one away",
  ]);
  assert.deepEqual(findings({ imported: [host({ ...ours, vtep: "10.0.7.12", stale: true })] }), []);
  assert.deepEqual(findings({ imported: [host({ ...ours, vtep: "10.0.7.11" })] }), []);
});
