import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  cleanUpPlan,
  diffPlan,
  nodeFacts as factsOf,
  type ObservedLink,
  type ObservedState,
  operationsOf,
  operationText,
  planNode,
  stateOfFacts,
} from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

/** As `ip link add` leaves them, before anything else is done to them. */
const vlan: ObservedLink = {
  name: "vlan220",
  kind: "vlan",
  group: 118_118_118,
  mtu: 1500,
  up: false,
  mac: "02:00:00:00:00:b0",
  parent: "bond0",
  vlan: { id: 220 },
};
const vxlan: ObservedLink = {
  name: "vxlan228",
  kind: "vxlan",
  group: 118_118_118,
  mtu: 1500,
  up: false,
  mac: "16:08:26:b3:ea:e1",
  vxlan: { vni: 228, port: 4789, local: "10.0.7.5", learning: false },
};
const bridge: ObservedLink = { name: "br228", kind: "bridge", group: 118_118_118, mtu: 1500, up: false };

function stateWith(...links: readonly ObservedLink[]): ObservedState {
  const state = stateOfFacts(nodeFacts());
  return { ...state, links: [...state.links, ...links] };
}

function linkCommands(state: ObservedState, ...networks: readonly unknown[]): readonly string[] {
  const plan = planNode(configurationOf(document(...networks)), factsOf(state, "n1", {}));
  return operationsOf(diffPlan(state, plan))
    .map(operationText)
    .filter((text) => text.startsWith("ip link "));
}

describe("an interface of ours whose maker died before it gave it the alias", () => {
  test("VLAN: is ours and not adopted, gets its alias, and goes when the network goes", () => {
    assert.deepEqual(linkCommands(stateWith(vlan), vlanNetwork()), [
      "ip link set dev vlan220 alias vlan-router:vlan220",
      "ip link set dev vlan220 mtu 9000",
      "ip link set dev vlan220 up",
    ]);
    assert.deepEqual(linkCommands(stateWith(vlan), vxlanNetwork())[0], "ip link del dev vlan220");
  });

  test("of another segment than the one that is wanted now: goes", () => {
    assert.equal(linkCommands(stateWith(vxlan), vxlanNetwork({ vni: 229 }))[0], "ip link del dev vxlan228");
    assert.equal(linkCommands(stateWith(bridge), vxlanNetwork())[0], "ip link del dev br228");
  });

  test("is cleaned up", () => {
    assert.deepEqual(cleanUpPlan(stateWith(vlan, vxlan, bridge)).operations.map(operationText), [
      "ip link del dev vlan220",
      "ip link del dev vxlan228",
      "ip link del dev br228",
    ]);
  });

  test("keeps being ours when another program writes its own alias over ours", () => {
    assert.deepEqual(linkCommands(stateWith({ ...vlan, alias: "rack 4", mtu: 9000, up: true }), vlanNetwork()), [
      "ip link set dev vlan220 alias vlan-router:vlan220",
    ]);
  });

  test("is not confused with an interface in a group of somebody else", () => {
    const foreign: ObservedLink = { ...vlan, group: 118 };
    assert.deepEqual(cleanUpPlan(stateWith(foreign)).operations, []);
    assert.deepEqual(linkCommands(stateWith(foreign), vlanNetwork()), ["ip link set dev vlan220 up"]);
  });
});
