import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  nodeFacts as factsOf,
  linkProperties,
  linkStrays,
  type ObservedState,
  operationsOf,
  operationText,
  type PrintedLink,
  planNode,
  stateOf,
  stateOfFacts,
} from "../../../model/index.js";
import {
  bridgeDamages,
  creationDamages,
  deviceDamages,
  groupDamages,
  ipv6TunnelDamages,
  type LinkDamage,
  portDamages,
  tunnelDamages,
  vlanDamages,
  vlanFilteringDamage,
} from "../../support/link-damages.js";
import { configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

/** `ip -d -j link` of iproute2 6.1 on Linux 6.18 of interfaces that were just made, but for what has no property. */
const port: PrintedLink & object =
  JSON.parse(`{"ifindex":5,"ifname":"vxlan228","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],
  "mtu":1550,"master":"br228","operstate":"UNKNOWN","group":"118118118","address":"02:00:00:00:00:01","broadcast":"ff:ff:ff:ff:ff:ff",
  "linkinfo":{"info_kind":"vxlan","info_data":{"id":228,"local":"10.0.7.5","port_range":{"low":0,"high":0},"port":4789,
  "learning":false,"ttl":0,"df":"unset","ageing":300,"udp_csum":true,"udp_zero_csum6_tx":false,"udp_zero_csum6_rx":false},
  "info_slave_kind":"bridge","info_slave_data":{"state":"forwarding","priority":32,"cost":100,"hairpin":false,"guard":false,
  "root_block":false,"fastleave":false,"learning":true,"flood":true,"id":"0x8001","no":"0x1","proxy_arp":false,
  "proxy_arp_wifi":false,"multicast_router":1,"mcast_flood":true,"bcast_flood":true,"mcast_to_unicast":false,
  "neigh_suppress":false,"group_fwd_mask":"0","group_fwd_mask_str":"0x0","vlan_tunnel":false,"isolated":false,"locked":false}}}`);
const bridge: PrintedLink & object =
  JSON.parse(`{"ifindex":4,"ifname":"br228","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],
  "mtu":1550,"operstate":"UP","group":"118118118","address":"02:00:00:00:00:05","broadcast":"ff:ff:ff:ff:ff:ff",
  "linkinfo":{"info_kind":"bridge","info_data":{"forward_delay":1500,"hello_time":200,"max_age":2000,"ageing_time":30000,
  "stp_state":0,"priority":32768,"vlan_filtering":0,"group_fwd_mask":"0","group_addr":"01:80:c2:00:00:00","mcast_snooping":1,
  "no_linklocal_learn":0,"mcast_router":1,"mcast_querier":0,"nf_call_iptables":0}}}`);
const vlan: PrintedLink & object = JSON.parse(`{"ifindex":6,"link":"bond0","ifname":"vlan220",
  "flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":9000,"operstate":"UP","group":"118118118","broadcast":"ff:ff:ff:ff:ff:ff",
  "linkinfo":{"info_kind":"vlan","info_data":{"protocol":"802.1Q","id":220,"flags":["REORDER_HDR"]}}}`);

type Part = "device" | "info_data" | "info_slave_data";

function changed(link: PrintedLink, part: Part, printed: object): PrintedLink {
  if (part === "device") return { ...link, ...printed };
  return { ...link, linkinfo: { ...link.linkinfo, [part]: { ...link.linkinfo?.[part], ...printed } } };
}

const bare = stateOfFacts(nodeFacts());

function carried(network: unknown): ObservedState {
  return stateOf(planNode(configurationOf(document(network)), factsOf(bare, "n1", {})), bare);
}

function repairsOf(network: unknown, name: string, link: PrintedLink): readonly string[] {
  const state = carried(network);
  const links = state.links.map((held) => (held.name === name ? { ...held, strays: linkStrays(link) } : held));
  const plan = planNode(configurationOf(document(network)), factsOf({ ...state, links }, "n1", {}));
  return operationsOf(diffPlan({ ...state, links }, plan))
    .map(operationText)
    .filter((command) => command.startsWith("ip link"));
}

interface Place {
  readonly what: string;
  readonly link: PrintedLink;
  readonly part: Part;
  readonly network: unknown;
  readonly name: string;
  /** Before the words of a repair. */
  readonly command: string;
  readonly damages: readonly LinkDamage[];
}

const bridged = vxlanNetwork({ bridge: true });
const tunnel = { link: port, part: "info_data", network: bridged, name: "vxlan228" } as const;
const setTunnel = "ip link set dev vxlan228 type vxlan id 228 local 10.0.7.11 nolearning";
const places: readonly Place[] = [
  ...(
    [
      [port, bridged, "vxlan228"],
      [bridge, bridged, "br228"],
      [vlan, vlanNetwork(), "vlan220"],
    ] as const
  ).map(([link, network, name]) => ({
    what: name,
    link,
    part: "device" as const,
    network,
    name,
    command: `ip link set dev ${name}`,
    damages: deviceDamages,
  })),
  {
    what: "a tunnel",
    ...tunnel,
    command: setTunnel,
    damages: [...tunnelDamages, ...groupDamages, ...ipv6TunnelDamages],
  },
  { what: "the creation of a tunnel", ...tunnel, command: "", damages: creationDamages },
  {
    what: "a bridge",
    link: bridge,
    part: "info_data",
    network: bridged,
    name: "br228",
    command: "ip link set dev br228 type bridge",
    damages: [...bridgeDamages, vlanFilteringDamage],
  },
  {
    what: "a port",
    link: port,
    part: "info_slave_data",
    network: bridged,
    name: "vxlan228",
    command: "ip link set dev vxlan228 type bridge_slave",
    damages: portDamages,
  },
  {
    what: "a VLAN",
    link: vlan,
    part: "info_data",
    network: vlanNetwork(),
    name: "vlan220",
    command: "ip link set dev vlan220 type vlan",
    damages: vlanDamages,
  },
];

/** `printf "10.0.7.11 228" | sha256sum`, its first six bytes as a locally administered unicast MAC. */
const madeAgain = [
  "ip link del dev vxlan228",
  "ip link add name vxlan228 address 86:3c:32:dd:76:2b mtu 1500 group 118118118 type vxlan id 228 local 10.0.7.11 dstport 4789 nolearning",
  "ip link set dev vxlan228 alias vlan-router:vxlan228",
  "ip link set dev vxlan228 master br228",
  "ip link set dev vxlan228 type bridge_slave learning off",
  "ip link set dev vxlan228 up",
];

test("interfaces as the kernel makes them have nothing to put right", () => {
  assert.deepEqual([port, bridge, vlan].map(linkStrays), [[], [], []]);
});

for (const { what, link, part, network, name, command, damages } of places) {
  describe(`a property of ${what} that somebody changes is put back`, () => {
    for (const { property, printed, repair } of damages) {
      test(property, () => {
        const damaged = changed(link, part, printed);
        assert.deepEqual(linkStrays(damaged), [property]);
        assert.deepEqual(
          repairsOf(network, name, damaged),
          repair === undefined ? madeAgain : [`${command} ${repair}`],
        );
      });
    }
  });
}

test("each property of the table is among these", () => {
  const shown = places.flatMap(({ damages }) => damages.map(({ property }) => property));
  assert.deepEqual([...new Set(shown)].sort(), linkProperties.map(({ name }) => name).sort());
});

test("several of a part are put back by one command", () => {
  const both = changed(changed(port, "info_data", { ttl: 1, ageing: 0 }), "info_slave_data", {
    hairpin: true,
    flood: false,
  });
  assert.deepEqual(repairsOf(bridged, "vxlan228", both), [
    `${setTunnel} ttl auto ageing 300`,
    "ip link set dev vxlan228 type bridge_slave flood on hairpin off",
  ]);
});

test("a port that is down, has no carrier, or whose bridge is down is disabled by the kernel itself", () => {
  const disabled = changed(port, "info_slave_data", { state: "disabled" });
  assert.deepEqual(linkStrays(disabled), ["state"]);
  assert.deepEqual(linkStrays({ ...disabled, flags: ["BROADCAST", "MULTICAST"] }), []);
  assert.deepEqual(linkStrays({ ...disabled, flags: ["NO-CARRIER", "BROADCAST", "MULTICAST", "UP"] }), []);
  const state = carried(bridged);
  const links = state.links.map((held) =>
    held.name === "br228"
      ? { ...held, up: false }
      : held.name === "vxlan228"
        ? { ...held, strays: linkStrays(disabled) }
        : held,
  );
  const plan = planNode(configurationOf(document(bridged)), factsOf(state, "n1", {}));
  assert.deepEqual(operationsOf(diffPlan({ ...state, links }, plan)).map(operationText), ["ip link set dev br228 up"]);
});

test("those of an interface that is used and not ours stay as they are", () => {
  const adopted = { name: "bond0.220", kind: "vlan", mtu: 9000, up: true, parent: "bond0", vlan: { id: 220 } } as const;
  const strays = linkStrays({ ...changed(vlan, "info_data", { flags: ["GVRP"] }), flags: ["NOARP", "UP"] });
  assert.deepEqual(strays, ["noArp", "reorder_hdr", "gvrp"]);
  const state = { ...bare, links: [...bare.links, { ...adopted, strays }] };
  const plan = planNode(configurationOf(document(vlanNetwork())), factsOf(state, "n1", {}));
  assert.deepEqual(
    operationsOf(diffPlan(state, plan))
      .map(operationText)
      .filter((command) => command.startsWith("ip link")),
    [],
  );
});
