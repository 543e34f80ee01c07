import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  nodeFacts as factsOf,
  type NodePlan,
  type ObservedState,
  observedSysctls,
  operationsOf,
  operationText,
  planNode,
  stateOf,
  stateOfFacts,
} from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vxlanNetwork } from "./samples.js";

const ipv4 = { cidr: "203.0.113.0/24", gateway: "203.0.113.1" };
const ipv6 = { cidr: "2001:db8:228::/64", gateway: "fe80::1" };

/** A node that carries a plan, and what new interfaces start with there. */
function carrying(plan: NodePlan, rpFilterAll: number, starts: Readonly<Record<string, string>>): ObservedState {
  const state = stateOf(plan, stateOfFacts(nodeFacts({ rpFilterAll })));
  return { ...state, sysctls: { ...state.sysctls, ...starts } };
}

function planned(rpFilterAll: number, ...routing: readonly object[]): NodePlan {
  const facts = factsOf(stateOfFacts(nodeFacts({ rpFilterAll })), "n1", {});
  return planNode(configurationOf(document(vxlanNetwork({}, {}, { routing }))), facts);
}

const sysctlsTo = (plan: NodePlan, state: ObservedState): readonly string[] =>
  operationsOf(diffPlan(state, plan))
    .map(operationText)
    .filter((command) => command.startsWith("sysctl "));

describe("what a plan set on our interface, and the next one does not want, becomes what it is on a new one", () => {
  const strict = planned(1, ipv4);
  const loose = planned(0, ipv4);
  const both = planned(0, ipv4, ipv6);
  const markStart = "net.ipv4.conf.default.src_valid_mark";
  const ipv6Start = "net.ipv6.conf.default.disable_ipv6";

  test("src_valid_mark, when rp_filter of all is not strict any more", () => {
    const state = carrying(strict, 0, { [markStart]: "0" });
    assert.equal(state.sysctls["net.ipv4.conf.vxlan228.src_valid_mark"], "1");
    assert.deepEqual(sysctlsTo(loose, state), ["sysctl -w net.ipv4.conf.vxlan228.src_valid_mark=0"]);
    assert.deepEqual(sysctlsTo(loose, stateOf(loose, state)), []);
    assert.deepEqual(sysctlsTo(strict, state), []);
  });

  test("IPv6, when the IPv6 subnet goes where the administrator switched it off for new interfaces", () => {
    const state = carrying(both, 0, { [ipv6Start]: "1" });
    assert.deepEqual(sysctlsTo(loose, state), ["sysctl -w net.ipv6.conf.vxlan228.disable_ipv6=1"]);
    assert.deepEqual(sysctlsTo(loose, stateOf(loose, state)), []);
  });

  test("on a desk, where a new interface has what the kernel gives it", () => {
    assert.deepEqual(sysctlsTo(loose, carrying(strict, 0, {})), ["sysctl -w net.ipv4.conf.vxlan228.src_valid_mark=0"]);
    assert.deepEqual(sysctlsTo(loose, carrying(both, 0, {})), []);
  });

  test("nothing, where a new interface has the same", () => {
    assert.deepEqual(sysctlsTo(loose, carrying(strict, 0, { [markStart]: "1" })), []);
    assert.deepEqual(sysctlsTo(loose, carrying(both, 0, { [ipv6Start]: "0" })), []);
  });

  test("nothing, where somebody set another value than ours", () => {
    const name = "net.ipv6.conf.vxlan228.disable_ipv6";
    assert.deepEqual(sysctlsTo(loose, carrying(loose, 0, { [ipv6Start]: "0", [name]: "1" })), []);
  });
});

test("what is read of the kernel for a network with an interface of ours", () => {
  assert.deepEqual(
    observedSysctls(planned(0, ipv4)).filter((name) => name.includes(".conf.")),
    [
      "net.ipv4.conf.all.rp_filter",
      "net.ipv4.conf.default.src_valid_mark",
      "net.ipv6.conf.default.disable_ipv6",
      "net.ipv4.conf.vxlan228.rp_filter",
      "net.ipv6.conf.vxlan228.accept_ra",
      "net.ipv6.conf.vxlan228.autoconf",
      "net.ipv4.conf.vxlan228.src_valid_mark",
      "net.ipv6.conf.vxlan228.disable_ipv6",
    ],
  );
});
