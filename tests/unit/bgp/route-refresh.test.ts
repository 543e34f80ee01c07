import assert from "node:assert/strict";
import { test } from "node:test";
import { BgpError } from "../../../agent-image/agent/bgp/codec/bgp-error.js";
import {
  decodeRouteRefresh,
  encodeRouteRefresh,
  refreshPurpose,
} from "../../../agent-image/agent/bgp/codec/route-refresh.js";
import { hex, message } from "./bytes.js";

test("a request for EVPN", () => {
  assert.deepEqual(decodeRouteRefresh(hex("0019 00 46")), {
    kind: "route-refresh",
    family: { afi: 25, safi: 70 },
    subtype: 0,
  });
});

test("the marks of a replay are told from requests, and from what asks for nothing", () => {
  const purposes = ["0019 00 46", "0019 01 46", "0019 02 46", "0019 03 46", "0001 00 01", "0019 00 01"].map((body) =>
    refreshPurpose(decodeRouteRefresh(hex(body))),
  );
  assert.deepEqual(purposes, ["request", "begin", "end", undefined, undefined, undefined]);
  assert.deepEqual(encodeRouteRefresh("end"), message(5, hex("0019 02 46")));
});

test("another length is answered with the whole message (RFC 7313 section 5)", () => {
  assert.throws(
    () => decodeRouteRefresh(hex("0019 00 46 00")),
    (error) => {
      assert.ok(error instanceof BgpError);
      assert.deepEqual(error.errorCode, { code: 7, subcode: 1 });
      assert.deepEqual(error.data, message(5, hex("0019 00 46 00")));
      return true;
    },
  );
});
