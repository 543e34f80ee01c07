import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnedAddress } from "../../../../agent-image/agent/addresses/owned-addresses.js";
import { planAnnouncementsOf } from "../../../../agent-image/agent/core/announcements.js";
import type { AnnouncementPlan, LinkFact, NetworkPlan, NodePlan } from "../../../../model/index.js";

const ipv4: AnnouncementPlan = {
  family: 4,
  prefix: "203.0.113.0/24",
  gateway: "203.0.113.1",
  enabled: true,
  interval: 60,
};
const ipv6: AnnouncementPlan = { ...ipv4, family: 6, prefix: "2001:db8:1::/64", gateway: "2001:db8:1::1" };
const link: LinkFact = { name: "vxlan228", mtu: 1550, up: true, mac: "02:e4:0a:00:07:0b" };
const mine: OwnedAddress = {
  network: "edge",
  address: "203.0.113.10",
  source: { kind: "metallb", service: "default/echo", elsewhere: false },
};

function followed(address: OwnedAddress, repeated = false) {
  return { owned: [address], confirmed: true, repeated };
}

function plan(...announcements: readonly AnnouncementPlan[]): NodePlan {
  return { networks: [{ network: "edge", link: { name: "vxlan228" }, announcements } as NetworkPlan], unplanned: [] };
}

test("D10: an owned address is announced on the network's interface with the interface's own MAC", () => {
  assert.deepEqual(planAnnouncementsOf(followed(mine), plan(ipv4), [link]).announcements, [
    {
      device: "vxlan228",
      mac: "02:e4:0a:00:07:0b",
      family: 4,
      address: "203.0.113.10",
      gateway: "203.0.113.1",
      interval: 60,
      periodic: true,
      repeated: false,
    },
  ]);
});

test("nothing is announced where it is switched off, or the interface is down or missing", () => {
  assert.deepEqual(planAnnouncementsOf(followed(mine), plan({ ...ipv4, enabled: false }), [link]).announcements, []);
  assert.deepEqual(planAnnouncementsOf(followed(mine), plan(ipv4), [{ ...link, up: false }]).announcements, []);
  assert.deepEqual(planAnnouncementsOf(followed(mine), plan(ipv4), []).announcements, []);
});

test("D10: an address that MetalLB answers for on other interfaces is not announced, and says so", () => {
  const elsewhere: OwnedAddress = { ...mine, source: { kind: "metallb", service: "default/echo", elsewhere: true } };
  const { announcements, notices } = planAnnouncementsOf(followed(elsewhere), plan(ipv4), [link]);
  assert.deepEqual(announcements, []);
  assert.deepEqual(
    notices.get("edge")?.map(({ reason }) => reason),
    ["AnsweredElsewhere"],
  );
});

test("an IPv6 address is announced as well, with the gateway of its own subnet", () => {
  const address: OwnedAddress = { ...mine, address: "2001:db8:1::10" };
  assert.deepEqual(planAnnouncementsOf(followed(address), plan(ipv4, ipv6), [link]), {
    announcements: [
      {
        device: "vxlan228",
        mac: "02:e4:0a:00:07:0b",
        family: 6,
        address: "2001:db8:1::10",
        gateway: "2001:db8:1::1",
        interval: 60,
        periodic: true,
        repeated: false,
      },
    ],
    notices: new Map(),
  });
});

test("what MetalLB repeats itself is told to the announcer; what the node holds is repeated by nobody else", () => {
  const held: OwnedAddress = { ...mine, source: { kind: "interface", device: "lo" } };
  const repeated = [mine, held].map((address) => {
    const [announcement] = planAnnouncementsOf(followed(address, true), plan(ipv4), [link]).announcements;
    return announcement?.repeated;
  });
  assert.deepEqual(repeated, [true, false]);
});
