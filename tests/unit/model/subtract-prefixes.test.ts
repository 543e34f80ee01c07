import assert from "node:assert/strict";
import { test } from "node:test";
import { uncovered } from "../../../model/address/subtract-prefixes.js";

const cases: readonly (readonly [prefixes: readonly string[], covering: readonly string[], left: readonly string[]])[] =
  [
    [["192.0.2.0/24"], [], ["192.0.2.0/24"]],
    [["192.0.2.0/24"], ["192.0.2.0/24"], []],
    [["192.0.2.0/24"], ["192.0.0.0/16"], []],
    [["192.0.2.0/24"], ["2001:db8::/32", "198.51.100.0/24"], ["192.0.2.0/24"]],
    [["192.0.2.0/24"], ["192.0.2.0/25", "192.0.2.128/25"], []],
    [["192.0.2.0/24"], ["192.0.2.64/26"], ["192.0.2.0/26", "192.0.2.128/25"]],
    [["192.0.2.0/30"], ["192.0.2.1/32"], ["192.0.2.0/32", "192.0.2.2/31"]],
    [["2001:db8::/127"], ["2001:db8::1/128"], ["2001:db8::/128"]],
    [["198.51.100.0/24", "192.0.2.0/24"], ["198.51.100.0/25"], ["192.0.2.0/24", "198.51.100.128/25"]],
  ];

for (const [prefixes, covering, left] of cases) {
  test(`${prefixes.join(", ")} without ${covering.join(", ") || "anything"}`, () => {
    assert.deepEqual(uncovered(prefixes, covering), left);
  });
}
