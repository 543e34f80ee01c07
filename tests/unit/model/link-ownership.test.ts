import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  type NodePlan,
  type ObservedLink,
  type ObservedState,
  operationsOf,
  operationText,
  stateOfFacts,
} from "../../../model/index.js";
import { planOf } from "./planned.js";
import { nodeFacts, vxlanNetwork } from "./samples.js";

/** `printf "10.0.7.11 228" | sha256sum`, its first six bytes as a locally administered unicast MAC. */
const mac = "86:3c:32:dd:76:2b";
/** Without alias and group. */
const unmarked: ObservedLink = {
  name: "vxlan228",
  kind: "vxlan",
  mtu: 1500,
  up: true,
  mac,
  vxlan: { vni: 228, port: 4789, local: "10.0.7.11", learning: false },
};
const empty = stateOfFacts(nodeFacts());
const stateWith = (link: ObservedLink): ObservedState => ({ ...empty, links: [...empty.links, link] });
const linkCommands = (state: ObservedState, plan: NodePlan): readonly string[] =>
  operationsOf(diffPlan(state, plan))
    .map(operationText)
    .filter((command) => command.startsWith("ip link"));

test("a VXLAN interface that lost both marks is ours by name, VNI and MAC, and gets them back", () => {
  const state = stateWith(unmarked);
  assert.deepEqual(linkCommands(state, planOf(vxlanNetwork(), state)), [
    "ip link set dev vxlan228 alias vlan-router:vxlan228",
    "ip link set dev vxlan228 group 118118118",
  ]);
});

describe("our MAC alone makes no interface ours", () => {
  const foreigners: readonly (readonly [what: string, network: unknown, link: ObservedLink])[] = [
    [
      "another VNI",
      vxlanNetwork(),
      { ...unmarked, vxlan: { vni: 300, port: 4789, local: "10.0.7.11", learning: true } },
    ],
    ["no VXLAN interface", vxlanNetwork(), { name: "vxlan228", kind: "dummy", mtu: 1500, up: true, mac }],
    // Of a port, where nobody gave it one of its own.
    ["a bridge", vxlanNetwork({ bridge: true }), { name: "br228", kind: "bridge", mtu: 1500, up: true, mac }],
  ];

  for (const [what, network, link] of foreigners) {
    const message = `interface ${link.name} exists and was not made by this agent; remove it or choose another segment`;

    test(`${what}: is reported and not touched`, () => {
      const state = stateWith(link);
      const plan = planOf(network, state);
      assert.deepEqual(
        plan.unplanned.map(({ condition }) => condition),
        [{ reason: "ForeignInterface", message }],
      );
      assert.deepEqual(linkCommands(state, plan), []);
    });

    test(`${what}: also where it comes after the plan was made`, () => {
      const state = stateWith(link);
      const plan = planOf(network, empty);
      assert.deepEqual(
        diffPlan(state, plan).networks.map(({ conflicts }) => conflicts),
        [[{ reason: "ForeignInterface", message }]],
      );
      assert.deepEqual(linkCommands(state, plan), []);
    });
  }

  test("another name: it has our segment, which is reported", () => {
    const state = stateWith({ ...unmarked, name: "customer" });
    const plan = planOf(vxlanNetwork(), state);
    assert.deepEqual(linkCommands(state, plan), []);
    assert.deepEqual(
      diffPlan(state, plan).networks.map(({ conflicts }) => conflicts),
      [
        [
          {
            reason: "SegmentInUse",
            message:
              "VNI 228 on port 4789 belongs to interface customer, which was not made by this agent; remove customer first",
          },
        ],
      ],
    );
  });
});
