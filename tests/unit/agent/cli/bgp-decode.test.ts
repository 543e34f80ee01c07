import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { type BgpDecodeOptions, runBgpDecode } from "../../../../agent-image/agent/cli/run-bgp-decode.js";

const marker = "ff".repeat(16);
const keepalive = `${marker}001304`;
/** A MAC is withdrawn with label 0, as FRR 8.4.4 does. */
const withdrawal = `${marker} 0041 02 0000 002a 900f0026 001946 02 21 00010a0000090002 00000000000000000000 00000000 30 0200000000aa 00 000000`;
const originFive = `${marker} 002f 02 0000 0018 800e0e 0019 46 04 0a000009 00 c8 03 aabbcc 40010105 400200`;
const badLength = `${marker} 0012 04`;

async function decode(
  texts: readonly string[],
  options: Partial<BgpDecodeOptions> = {},
  input: readonly string[] = [],
): Promise<{ code: number; out: string; error: string }> {
  let out = "";
  let error = "";
  const code = await runBgpDecode(
    texts,
    { sort: "ibgp", json: false, ...options },
    {
      input: Readable.from(input.map((line) => `${line}\n`)),
      out: (text) => {
        out += text;
      },
      error: (text) => {
        error += text;
      },
    },
  );
  return { code, out, error };
}

test("a reset names code, subcode and data, for people", async () => {
  assert.deepEqual(await decode([keepalive, badLength]), {
    code: 0,
    out: `KEEPALIVE, 19 bytes
  verdict: accept
unreadable header, 19 bytes
  verdict: reset, Message Header Error, Bad Message Length (1/2), data 0012
    message length 18 is not between 19 and 4096 (RFC 4271 section 6.1)
`,
    error: "",
  });
});

test("a message above 4096 bytes is one where extended messages are negotiated (RFC 8654)", async () => {
  const more = "00".repeat(4500);
  const long = `${marker} 11ab 02 0000 1194 d0c8 1190 ${more.slice(0, 2 * 4496)}`;
  const refused = await decode([long]);
  assert.match(refused.out, /verdict: reset, Message Header Error, Bad Message Length \(1\/2\), data 11ab/);
  assert.match((await decode([long], { extended: true })).out, /^UPDATE, 4523 bytes[\s\S]*verdict: accept/);
});

test("what is no hex is shown as far as it helps, and does not reach the terminal as it is", async () => {
  const { code, error } = await decode(["-"], {}, [`evil \u001b]0;title\u0007${"x".repeat(5000)}`]);
  assert.equal(code, 2);
  assert.equal(
    error,
    `line 1: "evil ?]0;title?${"x".repeat(45)}…" is no message in hex; write pairs of hex digits, from the 16 bytes ff on\n`,
  );
});

test("an UPDATE shows attributes, routes and the strongest verdict", async () => {
  assert.equal(
    (await decode([originFive])).out,
    `UPDATE, 47 bytes
  MP_REACH_NLRI (14), flags 0x80: 001946040a00000900c803aabbcc
  ORIGIN (1), flags 0x40: 05
  AS_PATH (2), flags 0x40: \n  withdraws Type-200, which is skipped: aabbcc
  verdict: withdraw
    ORIGIN: value 5 is not 0, 1 or 2 (RFC 7606 section 7.1)
`,
  );
});

/** MP_UNREACH_NLRI with Type-1, Type-4 and Type-5, each as GoBGP 4.8.0 spells it. */
const unusedTypes = `${marker} 0075 02 0000 005e 800f5b 0019 46
  01 19 00010a00000100e4 00112233445566778899 00000064 0000e4
  04 17 00010a0000010000 00112233445566778899 20 0a000001
  05 22 00010a0000010032 00000000000000000000 00000007 18 cb007100 0a000005 00c434`.replaceAll(/\s/g, "");

test("Type-1, Type-4 and Type-5 are shown in words, as routes that are not used", async () => {
  const { out } = await decode([unusedTypes]);
  assert.deepEqual(out.split("\n").slice(2), [
    "  withdraws Type-1, which is not used: RD 10.0.0.1:228 ESI 00112233445566778899 tag 100 label 228",
    "  withdraws Type-4, which is not used: RD 10.0.0.1:0 ESI 00112233445566778899 originator 10.0.0.1",
    "  withdraws Type-5, which is not used: RD 10.0.0.1:50 ESI 00000000000000000000 tag 7 prefix 203.0.113.0/24 gateway 10.0.0.5 label 50228",
    "  verdict: accept",
    "",
  ]);
});

test("--json is a document a line, with bytes in hex", async () => {
  const { out } = await decode([badLength, originFive], { json: true });
  const documents = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  assert.deepEqual(documents, [
    {
      length: 19,
      attributes: [],
      verdict: "reset",
      notification: { code: 1, subcode: 2, data: "0012" },
      reasons: [{ message: "message length 18 is not between 19 and 4096", clause: "RFC 4271 section 6.1" }],
    },
    {
      type: "update",
      length: 47,
      attributes: [
        { type: 14, name: "MP_REACH_NLRI", flags: 128, value: "001946040a00000900c803aabbcc" },
        { type: 1, name: "ORIGIN", flags: 64, value: "05" },
        { type: 2, name: "AS_PATH", flags: 64, value: "" },
      ],
      pathAttributes: { asPath: [] },
      announced: [],
      nextHop: "10.0.0.9",
      withdrawn: [{ kind: "unknown", type: 200, value: "aabbcc" }],
      endOfRib: false,
      faults: [
        {
          action: "treat-as-withdraw",
          message: "ORIGIN: value 5 is not 0, 1 or 2",
          clause: "RFC 7606 section 7.1",
        },
      ],
      verdict: "withdraw",
      reasons: [{ message: "ORIGIN: value 5 is not 0, 1 or 2", clause: "RFC 7606 section 7.1" }],
    },
  ]);
});

test("- reads messages from the input, one a line; empty lines and colons between bytes are for the reader", async () => {
  const colons = (keepalive.match(/../g) ?? []).join(":");
  const { code, out } = await decode(["-"], {}, [colons, "", withdrawal]);
  assert.equal(code, 0);
  assert.deepEqual(
    out.split("\n").filter((line) => !line.startsWith("    ")),
    [
      "KEEPALIVE, 19 bytes",
      "  verdict: accept",
      "UPDATE, 65 bytes",
      `  MP_UNREACH_NLRI (15), flags 0x90: 001946022100010a0000090002${"00".repeat(14)}300200000000aa00000000`,
      "  withdraws Type-2 RD 10.0.0.9:2 tag 0 MAC 02:00:00:00:00:aa IP none label 0",
      "  verdict: accept",
      "",
    ],
  );
});

test("what is no message is named, and the others are explained", async () => {
  const { code, out, error } = await decode(["-", "ff0", keepalive], {}, ["zz", `${marker}0017`]);
  assert.equal(code, 2);
  assert.equal(out, "KEEPALIVE, 19 bytes\n  verdict: accept\n");
  assert.equal(
    error,
    `line 1: "zz" is no message in hex; write pairs of hex digits, from the 16 bytes ff on
line 2: 18 bytes are no whole message: a header alone has 19; give whole messages
argument 2: "ff0" is no message in hex; write pairs of hex digits, from the 16 bytes ff on
`,
  );
});
