import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { readPassword } from "../../../agent-image/agent/bgp/session/password-file.js";
import { initialMachine, transition } from "../../../agent-image/agent/bgp/session/session-machine.js";
import { protectingOptions } from "../../../agent-image/agent/bgp/session/socket-options.js";
import { tcpMd5Signature } from "../../../agent-image/agent/bgp/session/tcp-md5-signature.js";
import { tcpSocket } from "../../../agent-image/agent/bgp/session/tcp-socket.js";

const secret = Buffer.from("s3cret");

describe("struct tcp_md5sig as linux/tcp.h lays it out on x86-64 and arm64", () => {
  const zeros = (count: number) => "00".repeat(count);

  test("IPv4", () => {
    const expected = `02000000${"0a000713"}${zeros(120)}${"0000"}${"0600"}${zeros(4)}${"733363726574"}${zeros(74)}`;
    assert.equal(expected.length, 2 * 216);
    assert.equal(tcpMd5Signature("10.0.7.19", secret).toString("hex"), expected);
  });

  test("IPv6", () => {
    const address = "20010db8000000000000000000000019";
    const expected = `0a00000000000000${address}${zeros(104)}${"0000"}${"0600"}${zeros(4)}${"733363726574"}${zeros(74)}`;
    assert.equal(expected.length, 2 * 216);
    assert.equal(tcpMd5Signature("2001:db8::19", secret).toString("hex"), expected);
  });

  test("a key of 80 bytes fills it; an empty one and 81 bytes are refused without their text", () => {
    assert.equal(tcpMd5Signature("10.0.7.19", Buffer.alloc(80, 0x61)).subarray(136).toString(), "a".repeat(80));
    assert.throws(() => tcpMd5Signature("10.0.7.19", Buffer.alloc(0)), {
      name: "RangeError",
      message: "a password of 0 bytes cannot sign TCP segments: write 1 to 80 bytes",
    });
    assert.throws(() => tcpMd5Signature("10.0.7.19", Buffer.alloc(81, 0x61)), {
      name: "RangeError",
      message: "a password of 81 bytes cannot sign TCP segments: write 1 to 80 bytes",
    });
  });
});

/** [level, option, value]: the numbers of linux/in.h and linux/in6.h, the TTLs of RFC 5082 section 3. */
const ttlOptions: readonly {
  readonly peer: string;
  readonly hops: number;
  readonly expected: readonly (readonly [level: number, option: number, value: string])[];
}[] = [
  {
    peer: "10.0.7.19",
    hops: 1,
    expected: [
      [0, 2, "ff000000"],
      [0, 21, "ff000000"],
    ],
  },
  {
    peer: "10.0.7.19",
    hops: 3,
    expected: [
      [0, 2, "ff000000"],
      [0, 21, "fd000000"],
    ],
  },
  {
    peer: "2001:db8::19",
    hops: 1,
    expected: [
      [41, 16, "ff000000"],
      [41, 73, "ff000000"],
    ],
  },
];

for (const { peer, hops, expected } of ttlOptions) {
  test(`TTL security of ${hops} hops to ${peer}`, () => {
    const options = protectingOptions(peer, { ttlSecurity: hops });
    assert.deepEqual(
      options.map(({ level, option, value }) => [level, option, value.toString("hex")]),
      expected,
    );
  });
}

test("without password and TTL security nothing is set; with a password TCP_MD5SIG is", () => {
  assert.deepEqual(protectingOptions("10.0.7.19", {}), []);
  assert.deepEqual(
    protectingOptions("10.0.7.19", { password: secret }).map(({ level, option }) => [level, option]),
    [[6, 14]],
  );
});

describe("the password's file", () => {
  const directory = mkdtempSync(join(tmpdir(), "bgp-password-"));
  after(() => rmSync(directory, { recursive: true }));
  const file = (content: string | Buffer): string => {
    const path = join(directory, "password");
    writeFileSync(path, content);
    return path;
  };

  const readings: readonly (readonly [content: string, bytes: string])[] = [
    ["s3cret", "733363726574"],
    ["s3cret\n", "733363726574"],
    ["s3cret\r\n", "733363726574"],
    ["s3cret \n\n", "733363726574200a"],
    ["pässword", "70c3a47373776f7264"],
  ];
  for (const [content, bytes] of readings) {
    test(`of ${JSON.stringify(content)} one line break at the end does not count`, () => {
      assert.equal(readPassword(file(content)).toString("hex"), bytes);
    });
  }

  test("one that is missing is the connection's error, with its path", async () => {
    const path = join(directory, "missing");
    assert.equal(await failureOf({ passwordFile: path }), `cannot read the BGP password in ${path}: ENOENT`);
  });

  for (const path of ["/dev/zero", tmpdir()]) {
    test(`${path} is no password`, async () => {
      assert.equal(
        await failureOf({ passwordFile: path }),
        `cannot read the BGP password in ${path}: it is not a regular file`,
      );
    });
  }

  test("one that is too long is the connection's error, without what it holds", async () => {
    const passwordFile = file("x".repeat(81));
    assert.equal(
      await failureOf({ passwordFile }),
      "a password of 81 bytes cannot sign TCP segments: write 1 to 80 bytes",
    );
  });
});

function failureOf(protection: Parameters<typeof tcpSocket>[1]): Promise<string> {
  return new Promise((resolve) => {
    const socket = tcpSocket({ local: "127.0.0.1", peer: "127.0.0.1" }, protection);
    socket.once("error", (error: Error) => resolve(error.message));
  });
}

test("a peer that stays silent may have another password, which the report of the attempt says", () => {
  const session = { localAsn: 65001, peerAsn: 65001, routerId: "10.0.7.11", holdTime: 9, restarted: false };
  const reportWith = (protection: { passwordFile?: string; ttlSecurity?: number }) => {
    const context = { config: { ...session, ...protection }, now: 0 };
    const { machine } = transition(initialMachine, { kind: "start" }, context);
    const { actions } = transition(machine, { kind: "timer-expired", timer: "connect-retry" }, context);
    return actions.flatMap((action) => (action.kind === "report" ? [action.error] : []));
  };
  const silence = /^no answer to the connection within \d+ s/;
  const hintOf = (protection: { passwordFile?: string; ttlSecurity?: number }) =>
    reportWith(protection).map((report) => report.replace(silence, "…"));
  assert.deepEqual(hintOf({}), ["…"]);
  const password = "its password for this node is not the one in /etc/bgp";
  assert.deepEqual(hintOf({ passwordFile: "/etc/bgp" }), [`…: the peer is away, or ${password}`]);
  assert.deepEqual(hintOf({ ttlSecurity: 2 }), [
    "…: the peer is away, or its packets do not arrive with a TTL of 254 or more",
  ]);
  assert.deepEqual(hintOf({ passwordFile: "/etc/bgp", ttlSecurity: 1 }), [
    `…: the peer is away, or ${password}, or its packets do not arrive with a TTL of 255 or more`,
  ]);
});
