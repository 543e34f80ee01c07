import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decodeNotification,
  describeNotification,
  encodeNotification,
} from "../../../agent-image/agent/bgp/codec/notification.js";
import { administrativeShutdown } from "../../../agent-image/agent/bgp/session/farewell.js";
import { hex, message } from "./bytes.js";

test("code, subcode and data stand one after the other", () => {
  assert.deepEqual(decodeNotification(hex("0202 fde9")), {
    kind: "notification",
    errorCode: { code: 2, subcode: 2 },
    data: hex("fde9"),
  });
  assert.deepEqual(encodeNotification({ code: 1, subcode: 2 }, hex("0012")), message(3, hex("01 02 0012")));
});

test("data that would not fit is cut (FRRouting/frr#1417)", () => {
  assert.equal(encodeNotification({ code: 3, subcode: 1 }, Buffer.alloc(65000)).length, 4096);
});

test("people read names, and the reason of the other operator without control characters (RFC 9003)", () => {
  assert.equal(describeNotification(decodeNotification(hex("0603"))), "Cease, Peer De-configured (6/3)");
  assert.equal(describeNotification(decodeNotification(hex("0400"))), "Hold Timer Expired (4/0)");
  assert.equal(describeNotification(decodeNotification(hex("09ff"))), "unknown error (9/255)");
  const reason = Buffer.from("upgrade\u001b[31m, back at 10");
  const data = Buffer.concat([hex("0602"), Buffer.from([reason.length]), reason]);
  assert.equal(
    describeNotification(decodeNotification(data)),
    'Cease, Administrative Shutdown (6/2): "upgrade?[31m, back at 10"',
  );
  assert.equal(
    describeNotification(decodeNotification(hex("0602 ff 61"))),
    "Cease, Administrative Shutdown (6/2)",
    "a length that runs over",
  );
});

test("a Hard Reset says what it stands for, with the reason (RFC 8538 section 3)", () => {
  const describe = (body: string) => describeNotification(decodeNotification(hex(body)));
  assert.equal(describe("0609"), "Cease, Hard Reset (6/9)");
  assert.equal(describe("0609 06"), "Cease, Hard Reset (6/9)", "cut short");
  assert.equal(describe("0609 0603"), "Cease, Hard Reset (6/9) for Cease, Peer De-configured (6/3)");
  assert.equal(describe("0609 0602 02 6869"), 'Cease, Hard Reset (6/9) for Cease, Administrative Shutdown (6/2): "hi"');
  assert.equal(describe("0609 0609 0602"), "Cease, Hard Reset (6/9) for Cease, Hard Reset (6/9)", "no deeper");
});

test("the other operator's text cannot turn a terminal round, end a line or break the encoding", () => {
  const reason = (text: string | Buffer) => {
    const bytes = Buffer.from(text);
    const body = Buffer.concat([hex("0604"), Buffer.from([bytes.length]), bytes]);
    return describeNotification(decodeNotification(body)).replace("Cease, Administrative Reset (6/4)", "");
  };
  assert.equal(reason("Wartung, zurück um 10 ☕"), ': "Wartung, zurück um 10 ☕"');
  assert.equal(reason("a\nb\tc\u0000d"), ': "a?b?c?d"');
  assert.equal(reason("\u202egnp.exe\u2066 x\u2028y\u200b"), ': "?gnp.exe? x?y?"');
  assert.equal(reason(hex("61 ff 62")), ': "a\ufffdb"');
  assert.equal(reason(""), "");
});

test("our own text is length and UTF-8, cut between two characters at 255 bytes (RFC 9003 section 2)", () => {
  const dataOf = (text?: string) => administrativeShutdown(text).data.toString("hex");
  assert.equal(dataOf(), "");
  assert.equal(dataOf("hä?"), "0468c3a43f");
  assert.equal(dataOf("x".repeat(300)), `ff${"78".repeat(255)}`);
  assert.equal(dataOf(`${"x".repeat(254)}ä`), `fe${"78".repeat(254)}`);
  assert.equal(dataOf(`${"x".repeat(253)}äx`), `ff${"78".repeat(253)}c3a4`);
  assert.equal(dataOf(`${"x".repeat(252)}😀`), `fc${"78".repeat(252)}`);
});
