import assert from "node:assert/strict";
import { test } from "node:test";
import { fdbRequest } from "../../../../agent-image/agent/kernel/fdb-request.js";
import { hex } from "../../bgp/bytes.js";

/** As strace shows them of iproute2 6.1 on x86-64, for the interface with the index 7 and with the sequence 0x0a. */
const requests = [
  {
    command: "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self extern_learn",
    bytes: `30000000 1c00 0505 0a000000 00000000  07 00 0000 07000000 c000 12 00
      0a00 0200 0200000000aa 0000  0800 0100 0a000713`,
  },
  {
    command: "bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.19 self permanent",
    bytes: `30000000 1c00 050c 0a000000 00000000  07 00 0000 07000000 c000 02 00
      0a00 0200 000000000000 0000  0800 0100 0a000713`,
  },
  {
    command: "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 master dynamic extern_learn",
    bytes: "28000000 1c00 0505 0a000000 00000000  07 00 0000 07000000 0200 14 00  0a00 0200 0200000000aa 0000",
  },
  {
    command: "bridge fdb del 02:00:00:00:00:aa dev vxlan228 master",
    bytes: "28000000 1d00 0500 0a000000 00000000  07 00 0000 07000000 c000 04 00  0a00 0200 0200000000aa 0000",
  },
  {
    command: "bridge fdb del 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self",
    bytes: `30000000 1d00 0500 0a000000 00000000  07 00 0000 07000000 c000 02 00
      0a00 0200 0200000000aa 0000  0800 0100 0a000713`,
  },
  {
    command: "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst fd00::19 self extern_learn",
    bytes: `3c000000 1c00 0505 0a000000 00000000  07 00 0000 07000000 c000 12 00
      0a00 0200 0200000000aa 0000  1400 0100 fd000000000000000000000000000019`,
  },
] as const;

for (const { command, bytes } of requests) {
  test(`the kernel is told what iproute2 would tell it: ${command}`, () => {
    assert.equal(fdbRequest(command, 7, 10).toString("hex"), hex(bytes).toString("hex"));
  });
}

test("a command for something else is refused", () => {
  assert.throws(() => fdbRequest("bridge link set dev vxlan228 learning off", 7, 10), /not a command for a forwarding/);
});
