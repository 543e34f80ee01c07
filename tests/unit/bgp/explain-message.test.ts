import assert from "node:assert/strict";
import { test } from "node:test";
import { explainStream, IncompleteMessage } from "../../../agent-image/agent/bgp/explain/explain-message.js";
import { hex, message } from "./bytes.js";
import * as captured from "./captured.js";

/*
 * What the rules of RFC 4271, RFC 7606 and RFC 7313 make of messages that FRR 8.4.4 and GoBGP 4.8.0 were tried with, one
 * of each sort of outcome.
 */
const [open, update, notification, keepalive, refresh] = [1, 2, 3, 4, 5] as const;

const empty = Buffer.alloc(0);
const reach = "900e0030 0019 46 04 0a010001 00 02 25 0001 0a000001 00e4 00000000000000000000 00000000 30 020000000005";
const host = `${reach} 20 64400005 0000e4`;
const rest = "400200 40050400000064 c01010 0002fde9000000e4 030c000000000008";

function updateWith(...attributes: readonly string[]): Buffer {
  const field = hex(attributes.join(""));
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16BE(field.length, 2);
  return message(update, Buffer.concat([lengths, field]));
}

/** RFC 4271 section 4.2: version 4, AS 65001, the given hold time and identifier, EVPN and four-octet AS 65001. */
function openWith(holdTime: string, identifier: string, capabilities = "020c 0104 0019 00 46 4104 0000fde9"): Buffer {
  return message(open, hex(`04 fde9 ${holdTime} ${identifier} 0e ${capabilities}`));
}

interface Case {
  readonly name: string;
  readonly bytes: Buffer;
  readonly verdict: string;
  readonly clauses?: readonly string[];
  /** Code, subcode and data in hex. */
  readonly notification?: readonly [number, number, string];
  readonly sort?: "ebgp";
}

const header = "ff".repeat(16);

const cases: readonly Case[] = [
  { name: "FRR's OPEN", bytes: message(open, captured.frrOpen), verdict: "accept" },
  { name: "GoBGP's OPEN", bytes: message(open, captured.gobgpOpen), verdict: "accept" },
  { name: "FRR's Type-2", bytes: message(update, captured.frrMacAndMacIp), verdict: "accept" },
  { name: "End-of-RIB", bytes: message(update, captured.endOfRib), verdict: "accept" },
  { name: "KEEPALIVE", bytes: message(keepalive, empty), verdict: "accept" },
  {
    name: "NOTIFICATION",
    bytes: message(notification, hex("06 02")),
    verdict: "accept",
    clauses: ["RFC 4271 section 4.5"],
  },
  { name: "ROUTE-REFRESH for EVPN", bytes: message(refresh, hex("0019 00 46")), verdict: "accept" },
  {
    name: "ROUTE-REFRESH for IPv4",
    bytes: message(refresh, hex("0001 00 01")),
    verdict: "refresh-ignored",
    clauses: ["RFC 2918 section 4"],
  },
  { name: "begin of a replay (RFC 7313)", bytes: message(refresh, hex("0019 01 46")), verdict: "accept" },
  {
    name: "ROUTE-REFRESH of an unknown subtype",
    bytes: message(refresh, hex("0019 03 46")),
    verdict: "refresh-ignored",
    clauses: ["RFC 7313 section 5"],
  },
  {
    name: "ROUTE-REFRESH of 5 bytes and subtype 9",
    bytes: message(refresh, hex("0019 09 46 00")),
    verdict: "refresh-ignored",
    clauses: ["RFC 7313 section 5"],
  },
  {
    name: "MP_REACH_NLRI with the transitive flag",
    bytes: updateWith(host.replace("900e", "d00e"), "40010100", rest),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 3 (c)"],
  },
  {
    name: "End-of-RIB with the flags of a well-known attribute",
    bytes: message(update, hex("0000 0006 400f03 001946")),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 3 (c)"],
  },
  {
    name: "ROUTE-REFRESH of 5 bytes",
    bytes: message(refresh, hex("0019 00 46 00")),
    verdict: "reset",
    clauses: ["RFC 7313 section 5"],
    notification: [7, 1, `${header}001805 0019004600`],
  },
  {
    name: "OPEN with hold time 2",
    bytes: openWith("0002", "0a000009"),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.2"],
    notification: [2, 6, ""],
  },
  {
    name: "OPEN with identifier 0",
    bytes: openWith("0009", "00000000"),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.2"],
    notification: [2, 3, ""],
  },
  { name: "OPEN with the first address that is tried for us", bytes: openWith("0009", "c0000201"), verdict: "accept" },
  {
    name: "OPEN of AS 0 (RFC 7607)",
    bytes: openWith("0009", "0a000009", "020c 0104 0019 00 46 4104 00000000"),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.2"],
    notification: [2, 2, ""],
  },
  {
    name: "OPEN without EVPN",
    bytes: openWith("0009", "0a000009", "020c 0104 0001 00 01 4104 0000fde9"),
    verdict: "reset",
    clauses: ["RFC 5492 section 3"],
    notification: [2, 7, "0104 0019 0046"],
  },
  {
    name: "missing ORIGIN",
    bytes: updateWith(host, rest),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 3 (d)"],
  },
  {
    name: "ORIGIN 5",
    bytes: updateWith(host, "40010105", rest),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 7.1"],
  },
  {
    name: "ORIGIN with the flags of an optional attribute",
    bytes: updateWith(host, "c0010100", rest),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 3 (c)"],
  },
  {
    name: "an attribute that runs over the list",
    bytes: updateWith(host, "40010100", rest, "c010ff00"),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 4"],
  },
  {
    name: "two faults, of which the stronger counts",
    bytes: updateWith(host, "40010105", "400601 00", rest),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 7.1", "RFC 7606 section 7.6"],
  },
  {
    name: "MAC length in bytes",
    bytes: updateWith(host.replace("30 020000000005", "06 020000000005"), "40010100", rest),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 5.4"],
  },
  {
    name: "LOCAL_PREF of 3 bytes",
    bytes: updateWith(host, "40010100 400200 400503 000064"),
    verdict: "withdraw",
    clauses: ["RFC 7606 section 7.5"],
  },
  {
    name: "LOCAL_PREF of 3 bytes from an external peer",
    bytes: updateWith(host, "40010100 400200 400503 000064"),
    verdict: "discard",
    clauses: ["RFC 7606 section 7.5"],
    sort: "ebgp",
  },
  {
    name: "ORIGIN twice",
    bytes: updateWith(host, "40010100 40010102", rest),
    verdict: "discard",
    clauses: ["RFC 7606 section 3 (g)"],
  },
  {
    name: "ATOMIC_AGGREGATE with a byte",
    bytes: updateWith(host, "40010100 40060100", rest),
    verdict: "discard",
    clauses: ["RFC 7606 section 7.6"],
  },
  {
    name: "MP_REACH_NLRI twice",
    bytes: updateWith(host, host, "40010100", rest),
    verdict: "reset",
    clauses: ["RFC 7606 section 3 (g)"],
    notification: [3, 1, ""],
  },
  {
    name: "next hop of 5 bytes",
    bytes: updateWith("900e000a 0019 46 05 0a01000100 00", "40010100", rest),
    verdict: "reset",
    clauses: ["RFC 7606 section 7.11"],
    notification: [3, 1, ""],
  },
  {
    name: "a route that runs over its attribute",
    bytes: updateWith("900e000d 0019 46 04 0a010001 00 02 25 0001", "40010100", rest),
    verdict: "reset",
    clauses: ["RFC 7606 section 5.3"],
    notification: [3, 9, ""],
  },
  {
    name: "unknown well-known attribute",
    bytes: updateWith(host, "40010100", rest, "40c80101"),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.3"],
    notification: [3, 2, "40c80101"],
  },
  {
    name: "a fault and no route (FRRouting/frr#22563)",
    bytes: updateWith("40012000"),
    verdict: "reset",
    clauses: ["RFC 7606 section 5.2"],
    notification: [3, 5, "40012000"],
  },
  {
    name: "UPDATE body of 3 bytes",
    bytes: message(update, hex("000000")),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.1"],
    notification: [1, 2, "0016"],
  },
  {
    name: "bad marker",
    bytes: hex(`00${"ff".repeat(15)} 0013 04`),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.1"],
    notification: [1, 1, ""],
  },
  {
    name: "length 18",
    bytes: hex(`${header} 0012 04`),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.1"],
    notification: [1, 2, "0012"],
  },
  {
    name: "length 4097",
    bytes: hex(`${header} 1001 02`),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.1"],
    notification: [1, 2, "1001"],
  },
  {
    name: "message type 9",
    bytes: hex(`${header} 0013 09`),
    verdict: "reset",
    clauses: ["RFC 4271 section 6.1"],
    notification: [1, 3, "09"],
  },
];

for (const { name, bytes, verdict, clauses = [], notification: told, sort } of cases) {
  test(`${sort ?? "ibgp"}, ${name}: ${verdict}`, () => {
    const [only, ...more] = explainStream(bytes, { internal: sort === undefined });
    assert.ok(only);
    assert.equal(more.length, 0);
    assert.equal(only.verdict, verdict);
    assert.deepEqual(
      only.reasons.map(({ clause }) => clause),
      clauses,
    );
    assert.deepEqual(
      only.notification && [only.notification.code, only.notification.subcode, only.notification.data.toString("hex")],
      told && [told[0], told[1], told[2].replaceAll(" ", "")],
    );
  });
}

test("the attributes of a message that ends the session are listed all the same", () => {
  const [explanation] = explainStream(updateWith("40010105", "40c80101"), { internal: true });
  assert.deepEqual(explanation?.attributes, [
    { type: 1, name: "ORIGIN", flags: 0x40, value: "05" },
    { type: 200, name: "unknown", flags: 0x40, value: "01" },
  ]);
});

test("messages in a row are explained one by one, up to a broken header", () => {
  const stream = Buffer.concat([message(keepalive, empty), message(update, captured.endOfRib), hex("00".repeat(19))]);
  assert.deepEqual(
    [...explainStream(stream, { internal: true })].map(({ type, length, verdict }) => [type, length, verdict]),
    [
      ["keepalive", 19, "accept"],
      ["update", 29, "accept"],
      [undefined, 19, "reset"],
    ],
  );
});

for (const [name, bytes, expected] of [
  ["no byte", empty, "0 bytes are no whole message: a header alone has 19"],
  ["18 bytes", hex(`${header}0013`), "18 bytes are no whole message: a header alone has 19"],
  ["a body cut off", message(update, captured.endOfRib).subarray(0, 25), "the header says 29 bytes but 25 are given"],
] as const) {
  test(`no verdict before a message is whole: ${name}`, () => {
    assert.throws(
      () => [...explainStream(bytes, { internal: true })],
      (error) => error instanceof IncompleteMessage && error.message === expected,
    );
  });
}
