import assert from "node:assert/strict";
import { test } from "node:test";
import { adjRibOut, type OriginatedRoute, routeChanges } from "../../../agent-image/agent/bgp/rib/adj-rib-out.js";

function originated(ip: string | undefined, sequence = 0): OriginatedRoute {
  return {
    route: {
      kind: "mac-ip",
      routeDistinguisher: "10.0.7.11:228",
      ethernetSegment: "00000000000000000000",
      ethernetTag: 0,
      mac: "02:00:00:00:00:01",
      ip,
      label: 228,
      label2: undefined,
    },
    announcement: {
      nextHop: "10.0.7.11",
      asPath: [],
      localPreference: 100,
      extendedCommunities: [{ kind: "mac-mobility", sticky: false, sequence }],
      ingressReplication: undefined,
    },
  };
}

test("equal tables need nothing", () => {
  const table = () => adjRibOut([originated(undefined), originated("203.0.113.10")]);
  assert.deepEqual(routeChanges(table(), table()), { withdrawn: [], announced: [] });
});

test("only the difference is sent, and equal attributes share a group", () => {
  const sent = adjRibOut([originated(undefined), originated("203.0.113.10")]);
  const wanted = adjRibOut([originated(undefined), originated("203.0.113.11"), originated("203.0.113.12")]);
  const { withdrawn, announced } = routeChanges(sent, wanted);
  assert.deepEqual(withdrawn, [originated("203.0.113.10").route]);
  assert.deepEqual(announced, [
    {
      announcement: originated(undefined).announcement,
      routes: [originated("203.0.113.11").route, originated("203.0.113.12").route],
    },
  ]);
});

test("new attributes: announced again, not withdrawn", () => {
  const changes = routeChanges(adjRibOut([originated("203.0.113.10")]), adjRibOut([originated("203.0.113.10", 1)]));
  assert.deepEqual(changes.withdrawn, []);
  assert.deepEqual(
    changes.announced.map(({ announcement }) => announcement.extendedCommunities),
    [[{ kind: "mac-mobility", sticky: false, sequence: 1 }]],
  );
});
