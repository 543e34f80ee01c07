import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnedAddress } from "../../../../agent-image/agent/addresses/owned-addresses.js";
import { gatewayTargets } from "../../../../agent-image/agent/core/gateway-targets.js";
import type { AnnouncementPlan, LinkFact, NetworkPlan, NodePlan } from "../../../../model/index.js";

const ipv4: AnnouncementPlan = {
  family: 4,
  prefix: "203.0.113.0/24",
  gateway: "203.0.113.1",
  enabled: false,
  interval: 60,
};
const ipv6: AnnouncementPlan = { ...ipv4, family: 6, prefix: "2001:db8:1::/64", gateway: "fe80::1" };
const second: AnnouncementPlan = { ...ipv4, prefix: "198.51.100.0/24", gateway: "198.51.100.1" };
const plan: NodePlan = {
  networks: [
    { network: "edge", link: { name: "vxlan228" }, announcements: [ipv4, ipv6, second] } as unknown as NetworkPlan,
  ],
  unplanned: [],
};
const link: LinkFact = { name: "vxlan228", mtu: 1550, up: true, mac: "02:e4:0a:00:07:0b" };

function owned(address: string, elsewhere = false): OwnedAddress {
  return { network: "edge", address, source: { kind: "metallb", service: "default/echo", elsewhere } };
}

function senders(addresses: readonly OwnedAddress[], confirmed = true): readonly string[] {
  return gatewayTargets(plan, [link], addresses, confirmed).map(({ gateway, sender }) => `${gateway} ${sender}`);
}

test("each IPv4 gateway is asked for as an address of its own subnet, whether that is announced or not", () => {
  assert.deepEqual(senders([owned("2001:db8:1::10"), owned("203.0.113.10"), owned("203.0.113.11")]), [
    "203.0.113.1 203.0.113.10",
    "198.51.100.1 undefined",
  ]);
});

test("an address that may be another node's by now, or that is answered for elsewhere, asks for nothing", () => {
  const probes = ["203.0.113.1 undefined", "198.51.100.1 undefined"];
  assert.deepEqual(senders([owned("203.0.113.10")], false), probes);
  assert.deepEqual(senders([owned("203.0.113.10", true)]), probes);
});

test("no gateway behind an interface that is down or not there", () => {
  assert.deepEqual(gatewayTargets(plan, [{ ...link, up: false }], [], true), []);
  assert.deepEqual(gatewayTargets(plan, [], [], true), []);
});
