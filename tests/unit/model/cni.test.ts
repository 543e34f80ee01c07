import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseConfiguration, renderMistake } from "../../../model/index.js";
import { configurationOf, document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };

const free = "choose another vxlan.port, on the peers too";

describe("numbers of the cluster's CNI are refused", () => {
  /** Without the CNI each network is accepted. */
  const cases: readonly (readonly [cni: string, network: unknown, message: string])[] = [
    // Cilium: cilium/cilium pkg/datapath/linux/linux_defaults.
    [
      "cilium",
      vlanNetwork({ id: 10 }),
      "vlan.id: 10 is one of Cilium's routing tables (10 to 24); set routing.table, such as 1010",
    ],
    [
      "cilium",
      vlanNetwork({ id: 24 }),
      "vlan.id: 24 is one of Cilium's routing tables (10 to 24); set routing.table, such as 1024",
    ],
    [
      "cilium",
      vlanNetwork({ id: 200 }),
      "vlan.id: 200 is one of Cilium's routing tables (200 to 202); set routing.table, such as 1200",
    ],
    [
      "cilium",
      vxlanNetwork({ vni: 202 }),
      "vxlan.vni: 202 is one of Cilium's routing tables (200 to 202); set routing.table, such as 1202",
    ],
    [
      "cilium",
      vxlanNetwork({ vni: 2004 }),
      "vxlan.vni: 2004 is one of Cilium's routing tables (2004 to 2005); set routing.table, such as 3004",
    ],
    [
      "cilium",
      vlanNetwork({ id: 1004 }, { table: 2005 }),
      "routing.table: 2005 is one of Cilium's routing tables (2004 to 2005); write another, such as 11004",
    ],
    ["cilium", vxlanNetwork({ port: 8472 }), `vxlan.port: 8472 is held by cilium_vxlan of Cilium; ${free}`],
    ["cilium", vxlanNetwork({ port: 6081 }), `vxlan.port: 6081 is held by cilium_geneve of Cilium; ${free}`],
    ["cilium", vxlanNetwork({ port: 51_871 }), `vxlan.port: 51871 is held by cilium_wg0 of Cilium; ${free}`],
    [
      "cilium",
      vxlanNetwork({ bgp: { ...bgp, gobgpPort: 4240 } }),
      "vxlan.bgp.gobgpPort: 4240 is a port of Cilium; write another port",
    ],
    // Calico: routeTableRange, 1 to 250.
    [
      "calico",
      vxlanNetwork(),
      "vxlan.vni: 228 is one of Calico's routing tables (1 to 250); set routing.table, such as 1228",
    ],
    [
      "calico",
      vlanNetwork({ id: 250 }),
      "vlan.id: 250 is one of Calico's routing tables (1 to 250); set routing.table, such as 1250",
    ],
    [
      "calico",
      vxlanNetwork({ vni: 4096 }),
      "vxlan.vni: 4096 on port 4789 belongs to vxlan.calico of Calico; choose another VNI or another vxlan.port",
    ],
    [
      "calico",
      vxlanNetwork({ vni: 300, port: 51_820 }),
      `vxlan.port: 51820 is held by wireguard.cali of Calico; ${free}`,
    ],
    ["calico", vxlanNetwork({ vni: 300, port: 51_821 }), `vxlan.port: 51821 is held by wg-v6.cali of Calico; ${free}`],
    [
      "calico",
      vxlanNetwork({ vni: 300, bgp: { ...bgp, gobgpPort: 9099 } }),
      "vxlan.bgp.gobgpPort: 9099 is a port of Calico; write another port",
    ],
    [
      "calico",
      vxlanNetwork({ vni: 300, bgp: { ...bgp, gobgpPort: 9091 } }),
      "vxlan.bgp.gobgpPort: 9091 is a port of Calico; write another port",
    ],
    // Antrea: antrea-io/antrea pkg/agent/types/net.go.
    [
      "antrea",
      vlanNetwork({ id: 101 }),
      "vlan.id: 101 is one of Antrea's routing tables (101 to 120); set routing.table, such as 1101",
    ],
    [
      "antrea",
      vlanNetwork({ id: 120 }),
      "vlan.id: 120 is one of Antrea's routing tables (101 to 120); set routing.table, such as 1120",
    ],
    [
      "antrea",
      vlanNetwork({ id: 141 }),
      "vlan.id: 141 is one of Antrea's routing tables (141); set routing.table, such as 1141",
    ],
    ["antrea", vxlanNetwork({ port: 6081 }), `vxlan.port: 6081 is held by genev_sys_6081 of Antrea; ${free}`],
    // Kube-OVN has the user name its tables.
    ["kube-ovn", vxlanNetwork({ port: 6081 }), `vxlan.port: 6081 is held by genev_sys_6081 of Kube-OVN; ${free}`],
    // OVN-Kubernetes: 7, and 1000 + ifindex.
    [
      "ovn-kubernetes",
      vlanNetwork({ id: 7 }),
      "vlan.id: 7 is one of OVN-Kubernetes's routing tables (7); set routing.table, such as 1000007",
    ],
    [
      "ovn-kubernetes",
      vlanNetwork({ id: 1000 }),
      "vlan.id: 1000 is one of OVN-Kubernetes's routing tables (1000 to 999999); set routing.table, such as 1001000",
    ],
    [
      "ovn-kubernetes",
      vxlanNetwork({ vni: 70_000 }),
      "vxlan.vni: 70000 is one of OVN-Kubernetes's routing tables (1000 to 999999); set routing.table, such as 1070000",
    ],
    [
      "ovn-kubernetes",
      vxlanNetwork({ port: 6081 }),
      `vxlan.port: 6081 is held by genev_sys_6081 of OVN-Kubernetes; ${free}`,
    ],
    // kube-router: kube-router, kube-router-dsr and external_ip; health, and its own GoBGP.
    [
      "kube-router",
      vlanNetwork({ id: 77 }),
      "vlan.id: 77 is one of kube-router's routing tables (77 to 79); set routing.table, such as 1077",
    ],
    [
      "kube-router",
      vlanNetwork({ id: 79 }),
      "vlan.id: 79 is one of kube-router's routing tables (77 to 79); set routing.table, such as 1079",
    ],
    [
      "kube-router",
      vxlanNetwork({ vni: 244 }),
      "vxlan.vni: 244 gives the GoBGP API port 20244, which kube-router has; set bgp.gobgpPort to another port",
    ],
    [
      "kube-router",
      vxlanNetwork({ bgp: { ...bgp, gobgpPort: 50_051 } }),
      "vxlan.bgp.gobgpPort: 50051 is a port of kube-router; write another port",
    ],
    // flannel has no tables.
    [
      "flannel",
      vxlanNetwork({ vni: 1, port: 8472 }),
      "vxlan.vni: 1 on port 8472 belongs to flannel.1 of flannel; choose another VNI or another vxlan.port",
    ],
    ["flannel", vxlanNetwork({ port: 51_820 }), `vxlan.port: 51820 is held by flannel-wg of flannel; ${free}`],
    ["flannel", vxlanNetwork({ port: 51_821 }), `vxlan.port: 51821 is held by flannel-wg-v6 of flannel; ${free}`],
  ];
  for (const [cni, network, message] of cases) {
    test(`${cni}: ${message}`, () => {
      assert.deepEqual(mistakesOf({ ...document(network), cni }), [`networks[0].${message}`]);
      assert.deepEqual(mistakesOf(document(network)), []);
    });
  }
});

describe("numbers beside those of the cluster's CNI are accepted", () => {
  const accepted: readonly (readonly [cni: string, networks: Readonly<Record<string, unknown>>])[] = [
    [
      "cilium",
      { "VLAN 9": vlanNetwork({ id: 9 }), "VLAN 25": vlanNetwork({ id: 25 }), "VLAN 199": vlanNetwork({ id: 199 }) },
    ],
    ["cilium", { "VLAN 203": vlanNetwork({ id: 203 }), "VNI 2006": vxlanNetwork({ vni: 2006 }), seed: vxlanNetwork() }],
    ["calico", { "VLAN 251": vlanNetwork({ id: 251 }), "a table of its own": vxlanNetwork({}, { table: 1228 }) }],
    ["calico", { "VNI 4096 on another port": vxlanNetwork({ vni: 4096, port: 4790 }) }],
    ["antrea", { "VLAN 100": vlanNetwork({ id: 100 }), "VLAN 121": vlanNetwork({ id: 121 }), seed: vxlanNetwork() }],
    ["kube-ovn", { seed: vxlanNetwork(), "VLAN 220": vlanNetwork() }],
    ["ovn-kubernetes", { seed: vxlanNetwork(), "VLAN 999": vlanNetwork({ id: 999 }) }],
    ["ovn-kubernetes", { "a large VNI": vxlanNetwork({ vni: 1_000_000 }), "VLAN 8": vlanNetwork({ id: 8 }) }],
    ["kube-router", { "VLAN 76": vlanNetwork({ id: 76 }), "VLAN 80": vlanNetwork({ id: 80 }), seed: vxlanNetwork() }],
    ["flannel", { "VNI 1 on port 4789": vxlanNetwork({ vni: 1 }), "port 8472": vxlanNetwork({ port: 8472 }) }],
  ];
  for (const [cni, networks] of accepted) {
    for (const [name, network] of Object.entries(networks)) {
      test(`${cni}: ${name}`, () => assert.deepEqual(mistakesOf({ ...document(network), cni }), []));
    }
  }
});

test("a CNI that nobody knows is refused with those that are known", () => {
  assert.deepEqual(mistakesOf({ ...document(vxlanNetwork()), cni: "weave" }), [
    "cni: weave is not one of the choices; write one of cilium, calico, antrea, kube-ovn, ovn-kubernetes, kube-router, flannel, or nothing where it is another",
  ]);
});

describe("segmentFilter", () => {
  const filterOf = (segmentFilter: unknown) =>
    configurationOf(document(vxlanNetwork({}, {}, { segmentFilter }))).networks[0]?.segmentFilter;

  test("off and on are read as YAML 1.1 and 1.2 give them", () => {
    assert.deepEqual(["off", "on", false, true].map(filterOf), [false, true, false, true]);
  });

  test("anything else is refused", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork({}, {}, { segmentFilter: "none" }))), [
      "networks[0].segmentFilter: none is a text, not a boolean; write on or off",
    ]);
  });
});

describe("passwords that do not come from a file are refused without their value", () => {
  const noSecret =
    "is not taken, because the agent may not read Secrets; name the Secret as bgpPasswordSecret of the VlanRouter, and write passwordFile: /etc/vlan-router/bgp-passwords/KEY";
  const unsupported: readonly (readonly [network: unknown, message: string])[] = [
    [
      vxlanNetwork({ bgp: { ...bgp, password: "hidden" } }),
      "vxlan.bgp.password: is not taken, because many may read a configuration, its plans and its logs; write it into a file on the nodes, and the path of the file as passwordFile",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, passwordSecret: { name: "hidden", key: "md5" } } }),
      `vxlan.bgp.passwordSecret: ${noSecret}`,
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, passwordSecretRef: { name: "hidden", key: "md5" } } }),
      `vxlan.bgp.passwordSecretRef: ${noSecret}`,
    ],
  ];
  for (const [network, message] of unsupported) {
    test(message, () => {
      const result = parseConfiguration(document(network));
      assert.deepEqual(!result.ok && result.mistakes.map(renderMistake), [`networks[0].${message}`]);
      assert.deepEqual(!result.ok && result.mistakes.map(({ code, value }) => [code, value]), [
        ["NotSupported", undefined],
      ]);
    });
  }
});

test("undefined counts as absent at the root and below", () => {
  const network = vxlanNetwork({ mtu: undefined, bgp: { ...bgp, password: undefined } }, { table: undefined });
  const written = { ...document(network), cni: undefined };
  assert.deepEqual(configurationOf(written), configurationOf(document(vxlanNetwork({ bgp }))));
});
