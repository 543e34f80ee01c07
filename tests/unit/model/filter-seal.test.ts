import assert from "node:assert/strict";
import { test } from "node:test";
import { isSealed, parseFilter, sealOf } from "../../../model/index.js";

// Listed by nft 1.0.6.
const listing = `table inet vlan_router {
	chain forward {
		type filter hook forward priority filter - 10; policy accept;
		iifname "vxlan228" ip daddr 203.0.113.0/24 drop
	}
}
`;
const ruleset = "the text that was loaded";
const sealed = (chain: string) => listing.replace(/\}\n$/, `\n\tchain ${chain} {\n\t}\n}\n`);

test("the seal is found and taken out of the listing", () => {
  const text = sealed("seal-0123456789abcdef-fedcba9876543210");
  assert.deepEqual(parseFilter(text), { listing, seal: "seal-0123456789abcdef-fedcba9876543210" });
  assert.deepEqual(parseFilter(listing), { listing });
});

test("it fits as long as neither the wanted text nor the table changes", () => {
  const text = sealed(sealOf(ruleset, listing));
  assert.equal(isSealed(parseFilter(text), ruleset), true);
  assert.equal(isSealed(parseFilter(text), `${ruleset} of the next generation`), false);
  assert.equal(isSealed(parseFilter(text.replace("drop", "accept")), ruleset), false);
  assert.equal(isSealed(parseFilter(text.replace(/\t\tiifname.*\n/, "")), ruleset), false);
  assert.equal(isSealed(parseFilter(listing), ruleset), false);
  assert.equal(isSealed(undefined, ruleset), false);
});
