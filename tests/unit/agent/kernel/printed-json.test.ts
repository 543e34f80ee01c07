import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrintedJson } from "../../../../agent-image/agent/kernel/printed-json.js";

test("what iproute2 prints of an alias with control characters, quotes and backslashes is read as it was set", () => {
  // ip link set lo alias $'a\x01b\'q\x7f\x1f\x08\x0c"z\\', and `ip -j link show lo` of iproute2 6.1 up to the alias.
  const printed = '[{"ifindex":1,"ifname":"lo","ifalias":"a\x01b\'q\x7f\x1f\\b\\f\\"z\\\\"}]\n';
  assert.deepEqual(parsePrintedJson(printed), [
    { ifindex: 1, ifname: "lo", ifalias: "a\u0001b'q\u007f\u001f\b\f\"z\\" },
  ]);
});

test("every control character that a name or alias can hold is read", () => {
  for (let code = 1; code < 0x20; code++) {
    // These three are escaped where they stand in a string.
    if (code === 9 || code === 10 || code === 13) continue;
    assert.deepEqual(parsePrintedJson(`["${String.fromCharCode(code)}"]`), [String.fromCharCode(code)]);
  }
});

test("what is no JSON stays an error", () => {
  assert.throws(() => parsePrintedJson("Cannot open netlink socket\n"), SyntaxError);
});
