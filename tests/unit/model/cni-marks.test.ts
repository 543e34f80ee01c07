import assert from "node:assert/strict";
import { test } from "node:test";
import { markMaskOf } from "../../../model/numbers/marks.js";
import { document, mistakesOf, vlanNetwork } from "./samples.js";

test("beside Cilium bits 12 and 13 are left, beside Calico and flannel ten bits", () => {
  assert.equal(markMaskOf("cilium"), 0x3000);
  for (const cni of [undefined, "calico", "flannel"] as const) assert.equal(markMaskOf(cni), 0x3ff0);
});

/** Bits that the CNI writes itself, as its sources name them. */
const foreignBits = {
  cilium: [0x0f00, 0xffff_00ff, 0x80],
  calico: [0xffff_0000],
  antrea: [0x8000_0000, 0x4000_0000, 0xff],
  "kube-ovn": [0x8_0000, 0x9_0001, 0x9_0002, 0x4000],
  "ovn-kubernetes": [0x17_45ec, 0x3f0, 0x1001],
  "kube-router": [],
  flannel: [],
} as const;
/** kube-proxy's masquerade and drop, which run beside any of them. */
const kubeProxyBits = [0x4000, 0x8000];

const masks = { antrea: 0x3f00, "kube-ovn": 0x3ff0, "ovn-kubernetes": 0x2000, "kube-router": 0x3ff0 } as const;
for (const [cni, mask] of Object.entries(masks) as [keyof typeof masks, number][]) {
  test(`beside ${cni} 0x${mask.toString(16)} is left`, () => assert.equal(markMaskOf(cni), mask));
}

for (const [cni, bits] of Object.entries(foreignBits) as [keyof typeof foreignBits, readonly number[]][]) {
  test(`our marks touch no bit of ${cni} or kube-proxy`, () => {
    for (const foreign of [...bits, ...kubeProxyBits]) assert.equal(markMaskOf(cni) & foreign, 0, foreign.toString(16));
  });
}

test("one bit tells one network: the second is refused beside OVN-Kubernetes", () => {
  const networks = [1, 2].map((n) => vlanNetwork({ id: 300 + n }, { cidr: `10.9.${n}.0/24`, gateway: `10.9.${n}.1` }));
  assert.deepEqual(mistakesOf({ ...document(networks[0]), cni: "ovn-kubernetes" }), []);
  assert.deepEqual(mistakesOf({ ...document(...networks), cni: "ovn-kubernetes" }), [
    "networks[1].routing.returnPath: has no packet mark left: 0x2000 tells 1 network of a node apart beside OVN-Kubernetes; set routing.returnPath: source in networks whose addresses nothing on the node rewrites",
  ]);
  const [first] = networks;
  const bySource = vlanNetwork({ id: 302 }, { cidr: "10.9.2.0/24", gateway: "10.9.2.1", returnPath: "source" });
  assert.deepEqual(mistakesOf({ ...document(first, bySource), cni: "ovn-kubernetes" }), []);
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
