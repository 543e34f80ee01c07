import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  type ObservedState,
  observedSysctls,
  operationsOf,
  operationText,
  stateOfFacts,
} from "../../../model/index.js";
import { planOf } from "./planned.js";
import { nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

const ipv4 = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
const ipv6 = { cidr: "2001:db8:220::/64", gateway: "fe80::1" };
const onVlan = (...routing: readonly object[]) => vlanNetwork({}, {}, { routing });
const onVxlan = (...routing: readonly object[]) => vxlanNetwork({}, {}, { routing });

const theirs = { name: "bond0.220", kind: "vlan", mtu: 1500, up: true, parent: "bond0", vlanId: 220 };
const disabled = "net.ipv6.conf.bond0/220.disable_ipv6";

function state(change: Partial<ObservedState>, links: readonly object[] = []): ObservedState {
  const facts = nodeFacts({ links: [...nodeFacts().links, ...links] as ReturnType<typeof nodeFacts>["links"] });
  return { ...stateOfFacts({ ...facts, ...(change.ipv6 === false ? { ipv6: false } : {}) }), ...change };
}

/** What is done of the IPv6 half, and what is said. */
function outcome(observed: ObservedState, network: unknown) {
  const diff = diffPlan(observed, planOf(network, observed));
  const commands = operationsOf(diff).map(operationText);
  return {
    ipv4Routes: commands.filter((command) => command.startsWith("ip -4 route")).length,
    ipv6: commands.filter((command) => command.startsWith("ip -6 ") || command.includes("net.ipv6.")),
    conflicts: diff.networks.flatMap(({ conflicts }) => conflicts),
  };
}

describe("IPv6 that an administrator switched off", () => {
  test("for new interfaces: on ours it is switched on for an IPv6 subnet, after what keeps advertisements out", () => {
    const sysctls = (network: unknown) => planOf(network, state({})).networks[0]?.sysctls.map(({ name }) => name);
    assert.deepEqual(sysctls(onVxlan(ipv4, ipv6)), [
      "net.ipv4.conf.vxlan228.rp_filter",
      "net.ipv6.conf.vxlan228.accept_ra",
      "net.ipv6.conf.vxlan228.autoconf",
      "net.ipv6.conf.vxlan228.disable_ipv6",
    ]);
    assert.deepEqual(sysctls(onVxlan(ipv4)), [
      "net.ipv4.conf.vxlan228.rp_filter",
      "net.ipv6.conf.vxlan228.accept_ra",
      "net.ipv6.conf.vxlan228.autoconf",
    ]);
  });

  test("on somebody's interface: no route is tried, its rules refuse, IPv4 works, and the setting is named", () => {
    assert.deepEqual(outcome(state({ sysctls: { [disabled]: "1" } }, [theirs]), onVlan(ipv4, ipv6)), {
      ipv4Routes: 2,
      ipv6: [
        "ip -6 rule add priority 3900 fwmark 0x10/0x3ff0 protocol 118 lookup 220",
        "ip -6 rule add priority 3901 fwmark 0x10/0x3ff0 protocol 118 unreachable",
        "ip -6 rule add priority 4128 from 2001:db8:220::/64 protocol 118 lookup 220",
        "ip -6 rule add priority 4129 from 2001:db8:220::/64 protocol 118 unreachable",
      ],
      conflicts: [
        {
          reason: "Ipv6Disabled",
          message:
            "net.ipv6.conf.bond0/220.disable_ipv6 is 1 on an interface that was not made by this agent: packets from " +
            "2001:db8:220::/64 are refused on this node; IPv4 is not touched; allow IPv6 with: " +
            "sysctl -w net.ipv6.conf.bond0/220.disable_ipv6=0, and for good with that line in a file of /etc/sysctl.d that is " +
            "read after those with disable_ipv6 = 1 for all or default",
        },
      ],
    });
  });

  test("on somebody's interface: nothing is said where it is on, or where no subnet needs it", () => {
    const on = outcome(state({ sysctls: { [disabled]: "0" } }, [theirs]), onVlan(ipv4, ipv6));
    assert.deepEqual([on.conflicts, on.ipv6.filter((command) => command.startsWith("ip -6 route")).length], [[], 2]);
    const alone = outcome(state({ sysctls: { [disabled]: "1" } }, [theirs]), onVlan(ipv4));
    assert.deepEqual(alone, { ipv4Routes: 2, ipv6: [], conflicts: [] });
  });

  test("in the kernel: nothing of IPv6 is tried, of a network that waits neither, and IPv4 works", () => {
    const without = state({ ipv6: false });
    assert.deepEqual(outcome(without, onVxlan(ipv4, ipv6)), {
      ipv4Routes: 2,
      ipv6: [],
      conflicts: [
        {
          reason: "Ipv6Disabled",
          message:
            "the kernel of this node runs no IPv6, so that nothing of 2001:db8:220::/64 is carried here; IPv4 is not touched; " +
            "boot it without ipv6.disable=1, or keep the network off this node with nodeSelector",
        },
      ],
    });
    assert.deepEqual(outcome(without, onVxlan(ipv4)).conflicts, []);
    const waiting = vlanNetwork({ parent: "bond9" }, {}, { routing: [ipv4, ipv6] });
    assert.deepEqual(outcome(without, waiting), { ipv4Routes: 0, ipv6: [], conflicts: [] });
  });
});

test("what is read of an interface of somebody else: whether it has IPv6, where a subnet needs it", () => {
  const read = (network: unknown) =>
    observedSysctls(planOf(network, state({}, [theirs]))).filter((name) => name.includes("bond0"));
  assert.deepEqual(read(onVlan(ipv4, ipv6)), [disabled]);
  assert.deepEqual(read(onVlan(ipv4)), []);
});
