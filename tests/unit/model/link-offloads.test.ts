import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { configurationCommands, diffPlan, type ObservedState, stateOf } from "../../../model/index.js";
import { bare, commandsTo, planOf } from "./planned.js";
import { configurationOf, document, mistakesOf, vxlanNetwork } from "./samples.js";

const off = vxlanNetwork({ txChecksum: false });

function offloadsTo(network: unknown, state: ObservedState): readonly string[] {
  return commandsTo(network, state).filter((command) => command.startsWith("ethtool"));
}

/** The kernel as `network` leaves it, but for what ethtool reads of its interface. */
function withOffload(network: unknown, txChecksum: boolean | undefined): ObservedState {
  const state = stateOf(planOf(network), bare);
  return {
    ...state,
    links: state.links.map(({ txChecksum: _, ...link }) =>
      link.kind === "vxlan" && txChecksum !== undefined ? { ...link, txChecksum } : link,
    ),
  };
}

describe("C16: transmit checksum offload of the VXLAN interface", () => {
  test("C16: off and on are read as kubectl and YAML 1.2 write them; anything else is a mistake", () => {
    for (const [written, txChecksum] of [
      ["off", false],
      [false, false],
      ["on", true],
      [true, true],
    ] as const) {
      const [network] = configurationOf(document(vxlanNetwork({ txChecksum: written }))).networks;
      assert.equal(network?.type === "vxlan" && network.vxlan.txChecksum, txChecksum);
    }
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ txChecksum: "partial" }))), [
      "networks[0].vxlan.txChecksum: partial is a text, not a boolean; write on or off",
    ]);
  });

  test("C16: a preview shows the command behind those that make the interface, before it is up", () => {
    const [network] = configurationOf(document(off)).networks;
    assert.ok(network);
    assert.deepEqual(configurationCommands(network, []).slice(0, 4), [
      "ip link add name vxlan228 address $MAC mtu $MTU group 118118118 type vxlan id 228 local $VTEP dstport 4789 nolearning",
      "ip link set dev vxlan228 alias vlan-router:vxlan228",
      "ethtool --offload vxlan228 tx-checksum-ip-generic off",
      "sysctl -w net.ipv4.conf.vxlan228.rp_filter=0",
    ]);
  });

  test("C16: it is set at each creation, whatever the interface had before", () => {
    const command = ["ethtool --offload vxlan228 tx-checksum-ip-generic off"];
    assert.deepEqual(offloadsTo(off, bare), command);
    // Another port makes the interface again, with the kernel's default.
    const again = vxlanNetwork({ txChecksum: false, port: 8472 });
    assert.deepEqual(offloadsTo(again, withOffload(off, false)), command);
  });

  test("C16: with a bridge it belongs to the port, which sends into the tunnel", () => {
    assert.deepEqual(offloadsTo(vxlanNetwork({ txChecksum: false, bridge: true }), bare), [
      "ethtool --offload vxlan228 tx-checksum-ip-generic off",
    ]);
  });

  test("C16: as it should be it needs nothing; changed by somebody it is the one thing that is put right", () => {
    assert.deepEqual(commandsTo(off, withOffload(off, false)), []);
    assert.deepEqual(commandsTo(off, withOffload(off, true)), [
      "ethtool --offload vxlan228 tx-checksum-ip-generic off",
    ]);
  });

  test("C16: on takes it back; without the key nothing is touched", () => {
    assert.deepEqual(commandsTo(vxlanNetwork({ txChecksum: true }), withOffload(off, false)), [
      "ethtool --offload vxlan228 tx-checksum-ip-generic on",
    ]);
    assert.deepEqual(commandsTo(vxlanNetwork(), withOffload(off, false)), []);
    assert.deepEqual(offloadsTo(vxlanNetwork(), bare), []);
  });

  test("C16: without ethtool the network is carried, and a condition says what to do", () => {
    const ethtoolFailure = "ethtool --json --show-features *: ethtool is not installed or not on PATH";
    const without = { ...bare, ethtoolFailure };
    assert.deepEqual(commandsTo(off, without), commandsTo(vxlanNetwork(), bare));
    const [network] = diffPlan(without, planOf(off)).networks;
    assert.deepEqual(network?.conflicts, [
      {
        reason: "EthtoolUnusable",
        message:
          "vxlan.txChecksum off cannot be set on vxlan228: ethtool --json --show-features *: ethtool is not installed or not " +
          "on PATH; install ethtool as Debian 12 has it or newer (apt-get install ethtool), use the agent's own image, which has " +
          "it, or leave vxlan.txChecksum out",
      },
    ]);
    assert.deepEqual(diffPlan(without, planOf(vxlanNetwork())).networks[0]?.conflicts, []);
  });
});
