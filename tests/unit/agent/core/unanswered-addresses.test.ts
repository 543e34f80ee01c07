import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnedAddress } from "../../../../agent-image/agent/addresses/owned-addresses.js";
import { unansweredAddresses } from "../../../../agent-image/agent/core/unanswered-addresses.js";
import type { NetworkPlan, NodePlan } from "../../../../model/index.js";

const plan: NodePlan = {
  networks: [{ network: "edge", link: { name: "vxlan228" } } as NetworkPlan],
  unplanned: [],
};

function on(device: string, address: string): OwnedAddress {
  return { network: "edge", address, source: { kind: "interface", device } };
}

/** The condition's text, with this value of arp_ignore. */
function told(value: number, ...owned: readonly OwnedAddress[]): string | undefined {
  const [condition] = unansweredAddresses(owned, plan, () => value).get("edge") ?? [];
  assert.ok(condition === undefined || condition.reason === "KernelDoesNotAnswer");
  return condition?.message;
}

test("IPv6 on lo is told whatever arp_ignore says, IPv4 on lo where the kernel looks at the interface", () => {
  const both = [on("lo", "203.0.113.20"), on("lo", "2001:db8:1::20")];
  for (const value of [0, 3]) assert.match(told(value, ...both) ?? "", /^2001:db8:1::20: on lo/);
  for (const value of [1, 2, 8]) assert.match(told(value, ...both) ?? "", /^203\.0\.113\.20, 2001:db8:1::20: on lo/);
  assert.match(told(1, ...both) ?? "", /put it on vxlan228 instead/);
});

test("an address on the network's own interface is answered for, and MetalLB answers for its own itself", () => {
  assert.equal(told(1, on("vxlan228", "203.0.113.20"), on("vxlan228", "2001:db8:1::20")), undefined);
  const source = { kind: "metallb", service: "default/echo", elsewhere: false } as const;
  assert.equal(told(1, { network: "edge", address: "2001:db8:1::20", source }), undefined);
});
