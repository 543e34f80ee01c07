import assert from "node:assert/strict";
import { test } from "node:test";
import { lackedCapabilities } from "../../../../agent-image/agent/system/capabilities.js";

test("what a process lacks, by its effective capabilities alone", () => {
  // /proc/self/status of root, of an ordinary user, of root in a container with Docker's default set, with NET_ADMIN added, and
  // with nothing but the three.
  for (const [capabilities, lacked] of [
    ["000001ffffffffff", []],
    ["0000000000000000", ["NET_BIND_SERVICE", "NET_ADMIN", "NET_RAW"]],
    ["00000000a80425fb", ["NET_ADMIN"]],
    ["00000000a80435fb", []],
    ["0000000000003400", []],
  ] as const) {
    const status = `CapPrm:\t0000000000003400\nCapEff:\t${capabilities}\nCapBnd:\t0000000000003400\n`;
    assert.deepEqual(lackedCapabilities(status, ["NET_BIND_SERVICE", "NET_ADMIN", "NET_RAW"]), lacked);
  }
  assert.deepEqual(lackedCapabilities("Name:\tnode\n", ["NET_RAW"]), ["NET_RAW"]);
});
