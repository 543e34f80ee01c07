import assert from "node:assert/strict";
import { test } from "node:test";
import { markMaskOf } from "../../../model/numbers/marks.js";
import { document, mistakesOf, vlanNetwork } from "./samples.js";

test("beside Cilium bits 12 and 13 are left, beside Calico and flannel ten bits", () => {
  assert.equal(markMaskOf("cilium"), 0x3000);
  for (const cni of [undefined, "calico", "flannel"] as const) assert.equal(markMaskOf(cni), 0x3ff0);
});

test("two bits tell three networks apart: the fourth is refused beside Cilium", () => {
  const networks = [1, 2, 3, 4].map((n) =>
    vlanNetwork({ id: 300 + n }, { cidr: `10.9.${n}.0/24`, gateway: `10.9.${n}.1`, returnPath: "mark" }),
  );
  assert.deepEqual(mistakesOf({ ...document(...networks.slice(0, 3)), cni: "cilium" }), []);
  assert.deepEqual(mistakesOf({ ...document(...networks), cni: "calico" }), []);
  assert.deepEqual(mistakesOf({ ...document(...networks), cni: "cilium" }), [
    "networks[3].routing.returnPath: has no packet mark left: 0x3000 tells 3 networks of a node apart beside Cilium; set routing.returnPath: source in networks whose addresses nothing on the node rewrites",
  ]);
});
