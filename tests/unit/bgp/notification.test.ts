import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decodeNotification,
  describeNotification,
  encodeNotification,
} from "../../../agent-image/agent/bgp/codec/notification.js";
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
