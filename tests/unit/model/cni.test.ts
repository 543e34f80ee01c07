import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { configurationOf, document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };

describe("numbers of the cluster's CNI are refused", () => {
  const cases: readonly (readonly [cni: string, network: unknown, message: string])[] = [
    [
      "cilium",
      vlanNetwork({ id: 201 }),
      "networks[0].vlan.id: 201 is one of Cilium's routing tables (200 to 202); set routing.table, such as 1201",
    ],
    [
      "cilium",
      vxlanNetwork({ port: 8472 }),
      "networks[0].vxlan.port: 8472 is held by cilium_vxlan of Cilium; choose another vxlan.port, on the peers too",
    ],
    [
      "calico",
      vxlanNetwork({ vni: 4096 }),
      "networks[0].vxlan.vni: 4096 on port 4789 belongs to vxlan.calico of Calico; choose another VNI or another vxlan.port",
    ],
    [
      "flannel",
      vxlanNetwork({ vni: 1, port: 8472 }),
      "networks[0].vxlan.vni: 1 on port 8472 belongs to flannel.1 of flannel; choose another VNI or another vxlan.port",
    ],
    [
      "kube-router",
      vxlanNetwork({ vni: 244 }),
      "networks[0].vxlan.vni: 244 gives the GoBGP API port 20244, which kube-router has; set bgp.gobgpPort to another port",
    ],
  ];
  for (const [cni, network, message] of cases) {
    test(`${cni}: ${message}`, () => {
      assert.deepEqual(mistakesOf({ ...document(network), cni }), [message]);
      assert.deepEqual(mistakesOf(document(network)), []);
    });
  }
});

test("keys that nothing carries out yet are named, and a password is not shown", () => {
  assert.deepEqual(mistakesOf(document(vxlanNetwork({ bgp: { ...bgp, password: "hidden" } }))), [
    "networks[0].vxlan.bgp.password: is not supported yet: BGP sessions are not authenticated (RFC 2385); remove it, and let the peers accept this session without a password",
  ]);
});

test("undefined counts as absent at the root and below", () => {
  const network = vxlanNetwork({ mtu: undefined, bgp: { ...bgp, password: undefined } }, { table: undefined });
  const written = { ...document(network), cni: undefined };
  assert.deepEqual(configurationOf(written), configurationOf(document(vxlanNetwork({ bgp }))));
});
