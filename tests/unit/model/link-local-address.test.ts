import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { diffPlan, type ObservedLink, type ObservedState, operationsOf, stateOf } from "../../../model/index.js";
import { bare, commandsTo, planOf } from "./planned.js";
import { vlanNetwork, vxlanNetwork } from "./samples.js";
import { applyOperations } from "./simulated-kernel.js";

const ipv6 = { cidr: "2001:db8:228::/64", gateway: "fe80::1" };

/** The network as it is carried, and then an interface changed. */
function changed(network: unknown, name: string, change: Partial<ObservedLink>): ObservedState {
  const state = stateOf(planOf(network, bare), bare);
  return { ...state, links: state.links.map((link) => (link.name === name ? { ...link, ...change } : link)) };
}

const flushed = { withoutLinkLocal: true } as const;

describe("a link-local address that somebody removed", () => {
  test("comes back where the network has IPv6, from the MAC of the interface", () => {
    const network = vxlanNetwork({}, ipv6);
    const state = changed(network, "vxlan228", flushed);
    // 86:3c:32:dd:76:2b
    const command = "ip -6 address add fe80::843c:32ff:fedd:762b/64 dev vxlan228 scope link";
    assert.deepEqual(commandsTo(network, state), [command]);
    const repaired = applyOperations(state, operationsOf(diffPlan(state, planOf(network, state))));
    assert.deepEqual(commandsTo(network, repaired), []);
  });

  test("of a bridge: on the bridge, and not on its port", () => {
    const network = vxlanNetwork({ bridge: true }, ipv6);
    assert.deepEqual(commandsTo(network, changed(network, "vxlan228", flushed)), []);
    assert.deepEqual(commandsTo(network, changed(network, "br228", flushed)), [
      "ip -6 address add fe80::843c:32ff:fedd:762b/64 dev br228 scope link",
    ]);
  });

  test("of a VLAN: from the MAC that it has", () => {
    const network = vlanNetwork({}, ipv6);
    const state = changed(network, "vlan220", { ...flushed, mac: "02:00:00:00:00:b0" });
    assert.deepEqual(commandsTo(network, state), ["ip -6 address add fe80::ff:fe00:b0/64 dev vlan220 scope link"]);
  });

  test("is left alone without IPv6 in the network, and on an interface that is not ours", () => {
    assert.deepEqual(commandsTo(vxlanNetwork(), changed(vxlanNetwork(), "vxlan228", flushed)), []);
    const adopted = { name: "bond0.220", kind: "vlan", mtu: 9000, up: true, parent: "bond0", mac: "02:00:00:00:00:b0" };
    const state = { ...bare, links: [...bare.links, { ...adopted, ...flushed, vlan: { id: 220 } }] };
    assert.doesNotMatch(commandsTo(vlanNetwork({}, ipv6), state).join("\n"), /address/);
  });

  test("is the kernel's to make where the interface comes anew or IPv6 was off on it", () => {
    const network = vxlanNetwork({}, ipv6);
    const state = changed(network, "vxlan228", flushed);
    const off = { ...state, sysctls: { ...state.sysctls, "net.ipv6.conf.vxlan228.disable_ipv6": "1" } };
    assert.deepEqual(commandsTo(network, off), ["sysctl -w net.ipv6.conf.vxlan228.disable_ipv6=0"]);
    const proxied = changed(network, "vxlan228", { ...flushed, strays: ["proxy"] });
    assert.doesNotMatch(commandsTo(network, proxied).join("\n"), /address add/);
  });
});
