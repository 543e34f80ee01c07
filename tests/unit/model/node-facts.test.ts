import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nodeFacts, type ObservedRule, type ObservedState } from "../../../model/index.js";

const nothing: ObservedState = { links: [], addresses: [], routes: [], rules: [], sysctls: {}, forwarding: {} };
const local = (priority: number, family: 4 | 6 = 4): ObservedRule => ({
  family,
  priority,
  protocol: 2,
  action: { kind: "lookup", table: 255 },
  plain: true,
});
const facts = (observed: Partial<ObservedState>) => nodeFacts({ ...nothing, ...observed }, "n1", { rack: "a" });

describe("priority of the local table", () => {
  test("0 as the kernel makes it", () => assert.equal(facts({ rules: [local(0), local(0, 6)] }).localRulePriority, 0));
  test("the later one of both families", () =>
    assert.equal(facts({ rules: [local(100), local(0, 6)] }).localRulePriority, 100));
  test("the first of several", () => assert.equal(facts({ rules: [local(32765), local(0)] }).localRulePriority, 0));
  test("behind every rule when there is none", () => {
    const rule: ObservedRule = { ...local(32766), action: { kind: "lookup", table: 254 } };
    assert.equal(facts({ rules: [rule] }).localRulePriority, 32768);
  });
});

test("no IPv6 only where the kernel has none: flushed rules do not say so", () => {
  assert.equal(facts({ rules: [local(0)], ipv6: false }).ipv6, false);
  assert.equal(facts({ rules: [local(0)] }).ipv6, undefined);
});

test("marks are those of our own lookup rules", () => {
  const mark = { value: 0x10, mask: 0x3ff0 };
  const own: ObservedRule = { ...local(3900), protocol: 118, mark, action: { kind: "lookup", table: 228 } };
  const rules: readonly ObservedRule[] = [
    own,
    { ...own, priority: 3901, action: { kind: "unreachable" } },
    { ...own, priority: 3000, to: "10.244.0.0/16", action: { kind: "lookup", table: 254 } },
    { ...own, protocol: 4, mark: { value: 0x20, mask: 0x3ff0 } },
  ];
  assert.deepEqual(facts({ rules }).marks, [{ table: 228, mark }]);
});

test("name, labels and rp_filter", () => {
  const { nodeName, labels, rpFilterAll } = facts({ sysctls: { "net.ipv4.conf.all.rp_filter": "2" } });
  assert.deepEqual([nodeName, labels, rpFilterAll], ["n1", { rack: "a" }, 2]);
});
