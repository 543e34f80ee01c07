import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCounters } from "../../../../lab/fabric/wrong-door.js";

/** `nft --json list counters` of nftables 1.0.6. */
const COUNTERS = `{"nftables": [
  {"metainfo": {"version": "1.0.6", "release_name": "Lester Gooch #5", "json_schema_version": 1}},
  {"counter": {"family": "ip", "name": "from-228", "table": "wrong-door", "handle": 2, "packets": 3, "bytes": 252}},
  {"counter": {"family": "ip", "name": "from-240", "table": "wrong-door", "handle": 3, "packets": 0, "bytes": 0}}]}`;

test("packets at the wrong door are told by public network", () => {
  assert.deepEqual(parseCounters(COUNTERS), { "203.0.113.0/24": 3, "198.51.100.0/24": 0 });
});

test("a counter that is missing is not taken for zero", () => {
  assert.throws(() => parseCounters('{"nftables": []}'), /no counter from-228/);
});
