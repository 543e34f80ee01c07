import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBridged, parseForwarding } from "../../../../agent-image/agent/kernel/parse-bridge.js";

/** `bridge -json fdb show br br228` of iproute2 6.1 on Linux 6.18, without the multicast entries of each port. */
const listing = `[
{"mac":"33:33:00:00:00:01","ifname":"br228","flags":["self"],"state":"permanent"},
{"mac":"02:00:00:00:00:05","ifname":"br228","flags":[],"master":"br228","state":"permanent"},
{"mac":"02:00:00:00:00:aa","ifname":"vxlan228","flags":["extern_learn"],"master":"br228","state":""},
{"mac":"02:00:00:00:00:aa","ifname":"vxlan228","dst":"10.0.7.19","flags":["self","extern_learn"],"state":"permanent"},
{"mac":"00:00:00:00:00:00","ifname":"vxlan228","dst":"10.0.7.19","flags":["self"],"state":"permanent"},
{"mac":"02:00:00:00:00:ab","ifname":"tap0","flags":[],"master":"br228","state":""},
{"mac":"0e:09:ee:49:8a:b7","ifname":"tap0","flags":[],"master":"br228","state":"permanent"}]`;

test("hosts of a bridge are what it learned or was told, not the MACs of its own ports", () => {
  assert.deepEqual(parseBridged(listing), [
    { mac: "02:00:00:00:00:aa", port: "vxlan228", external: true },
    { mac: "02:00:00:00:00:ab", port: "tap0", external: false },
  ]);
});

test("entries of a VXLAN interface are those with a VTEP", () => {
  assert.deepEqual(parseForwarding(listing), [
    { mac: "02:00:00:00:00:aa", vtep: "10.0.7.19", external: true },
    { mac: "00:00:00:00:00:00", vtep: "10.0.7.19", external: false },
  ]);
});

test("nothing is no entry", () => {
  assert.deepEqual([parseBridged(""), parseForwarding("\n")], [[], []]);
});
