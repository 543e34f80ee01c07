import assert from "node:assert/strict";
import { test } from "node:test";
import { document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

test("B1: a reserved table as VNI is accepted with a table of its own", () => {
  assert.deepEqual(mistakesOf(document(vxlanNetwork({ vni: 254 }, { table: 1254 }))), []);
});

test("B9: a gateway outside the prefix needs onlink", () => {
  const routing = { cidr: "203.0.113.64/29", gateway: "192.0.2.1" };
  assert.deepEqual(mistakesOf(document(vlanNetwork({}, routing))), [
    "networks[0].routing.gateway: 192.0.2.1 is not inside 203.0.113.64/29; set routing.onlink if the router is reachable on this segment",
  ]);
  assert.deepEqual(mistakesOf(document(vlanNetwork({}, { ...routing, onlink: true }))), []);
});

test("B13: host bits are refused with the prefix that was meant", () => {
  assert.deepEqual(mistakesOf(document(vxlanNetwork({}, { cidr: "203.0.113.7/24" }))), [
    "networks[0].routing.cidr: 203.0.113.7/24 has host bits; did you mean 203.0.113.0/24?",
  ]);
});
