import assert from "node:assert/strict";
import { test } from "node:test";
import { localRoutes } from "../../../agent-image/agent/evpn/local-routes.js";
import { plan228 } from "./plan.js";

const shared = { routeDistinguisher: "10.0.7.11:228", ethernetTag: 0 };
const host = {
  ...shared,
  kind: "mac-ip",
  ethernetSegment: "00000000000000000000",
  mac: "02:00:00:00:00:11",
  label: 228,
  label2: undefined,
};
const communities = [
  { kind: "encapsulation", tunnelType: 8 },
  { kind: "route-target", value: "65001:228" },
];

test("a network is a Type-3, a Type-2 with the MAC alone, and a Type-2 for each address", () => {
  const routes = localRoutes({ plan: plan228, addresses: ["203.0.113.10", "2001:db8::10"], sequence: 0 });
  assert.deepEqual(
    routes.map(({ route }) => route),
    [
      { ...shared, kind: "inclusive-multicast", originator: "10.0.7.11" },
      { ...host, ip: undefined },
      { ...host, ip: "203.0.113.10" },
      { ...host, ip: "2001:db8::10" },
    ],
  );
  assert.deepEqual(
    routes.map(({ announcement }) => announcement.ingressReplication),
    [{ label: 228, endpoint: "10.0.7.11" }, undefined, undefined, undefined],
  );
  for (const { announcement } of routes) {
    assert.deepEqual(announcement.extendedCommunities, communities);
    assert.deepEqual([announcement.nextHop, announcement.asPath, announcement.localPreference], ["10.0.7.11", [], 100]);
  }
});

test("every route of the MAC carries its sequence; the Type-3 has none", () => {
  const routes = localRoutes({ plan: plan228, addresses: ["203.0.113.10"], sequence: 3 });
  const mobility = { kind: "mac-mobility", sticky: false, sequence: 3 };
  assert.deepEqual(
    routes.map(({ announcement }) => announcement.extendedCommunities),
    [communities, [...communities, mobility], [...communities, mobility]],
  );
});

test("towards another AS the path starts with ours and there is no LOCAL_PREF", () => {
  const [route] = localRoutes({ plan: { ...plan228, peerAsn: 65000 }, addresses: [], sequence: 0 });
  assert.deepEqual([route?.announcement.asPath, route?.announcement.localPreference], [[65001], undefined]);
});
