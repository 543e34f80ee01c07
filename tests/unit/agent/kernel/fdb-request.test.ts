import assert from "node:assert/strict";
import { test } from "node:test";
import {
  askForAnswer,
  FdbRequests,
  fdbDevice,
  longestRequest,
} from "../../../../agent-image/agent/kernel/fdb-request.js";
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

const withIndexSeven = () => new FdbRequests((device) => (device === "vxlan228" ? 7 : 0));

for (const { command, bytes } of requests) {
  test(`the kernel is told what iproute2 would tell it: ${command}`, () => {
    const written = Buffer.alloc(longestRequest);
    const length = withIndexSeven().write(command, 10, written, 0);
    askForAnswer(written, 0);
    assert.equal(written.toString("hex", 0, length), hex(bytes).toString("hex"));
  });
}

test("requests of many kinds and MACs behind each other are what each is alone", () => {
  const made = withIndexSeven();
  const written = Buffer.alloc(2 * requests.length * longestRequest);
  let end = 0;
  const expected = [...requests, ...requests.toReversed()].map(({ command, bytes }, position) => {
    const isOther = position >= requests.length;
    const start = end;
    end += made.write(isOther ? command.replace(/:00:a(?=a )/, ":00:b") : command, 10, written, end);
    askForAnswer(written, start);
    const alone = hex(bytes).toString("hex");
    return isOther ? alone.replace("0200000000aa", "0200000000ba") : alone;
  });
  assert.equal(written.toString("hex", 0, end), expected.join(""));
});

test("without an interface there is no request, whichever command it is", () => {
  const made = withIndexSeven();
  const command = "bridge fdb replace 02:00:00:00:00:aa dev vxlan229 dst 10.0.7.19 self extern_learn";
  const written = Buffer.alloc(longestRequest);
  assert.deepEqual([made.write(command, 10, written, 0), made.write(command, 11, written, 0)], [0, 0]);
  assert.equal(fdbDevice(command), "vxlan229");
});

test("a command for something else is refused", () => {
  const written = Buffer.alloc(longestRequest);
  for (const command of ["bridge link set dev vxlan228 learning off", "bridge fdb replace 02:00:00:00:00:aa"]) {
    assert.throws(() => withIndexSeven().write(command, 10, written, 0), /not a command for a forwarding/);
  }
});
