import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  configurationCommands,
  diffPlan,
  forwardingOperations,
  interruptions,
  type ObservedState,
  operationText,
  planNode,
  stateOf,
} from "../../../model/index.js";
import { bare, commandsTo, planOf } from "./planned.js";
import { configurationOf, document, mistakesOf, nodeFacts, vxlanNetwork } from "./samples.js";

const podNetworks = ["10.244.0.0/16", "10.96.0.0/16"];
/** `printf "10.0.7.11 228" | sha256sum`, its first six bytes as a locally administered unicast MAC. */
const mac = "86:3c:32:dd:76:2b";

const plain = vxlanNetwork();
const bridged = vxlanNetwork({ bridge: true });
const carried = stateOf(planOf(bridged), bare);

function withLink(state: ObservedState, name: string, change: object): ObservedState {
  return { ...state, links: state.links.map((link) => (link.name === name ? { ...link, ...change } : link)) };
}

describe("a VXLAN network with a bridge", () => {
  test("the bridge carries MAC, sysctls, filter, routes; the port does not learn beside BGP", () => {
    const [network] = configurationOf(document(bridged)).networks;
    assert.ok(network);
    const commands = configurationCommands(network, podNetworks);
    assert.deepEqual(commands.slice(0, 9), [
      "ip link add name br228 address $MAC mtu $MTU group 118118118 type bridge",
      "ip link set dev br228 alias vlan-router:vxlan228",
      "ip link add name vxlan228 address $MAC mtu $MTU group 118118118 type vxlan id 228 local $VTEP dstport 4789 nolearning",
      "ip link set dev vxlan228 alias vlan-router:vxlan228",
      "ip link set dev vxlan228 master br228",
      "ip link set dev vxlan228 type bridge_slave learning off",
      "sysctl -w net.ipv4.conf.br228.rp_filter=0",
      "sysctl -w net.ipv6.conf.br228.accept_ra=0",
      "sysctl -w net.ipv6.conf.br228.autoconf=0",
    ]);
    assert.deepEqual(
      commands.filter((command) => / (segment|forward) iifname/.test(command)),
      [
        'nft "add rule inet vlan_router segment iifname br228 ether daddr & 01:00:00:00:00:00 == 00:00:00:00:00:00 ether daddr != $MAC accept"',
        'nft "add rule inet vlan_router segment iifname br228 ip daddr != { 203.0.113.0/24, 224.0.0.0/4, 255.255.255.255 } drop"',
        'nft "add rule inet vlan_router segment iifname br228 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept"',
        'nft "add rule inet vlan_router segment iifname br228 ip6 daddr != ff00::/8 drop"',
        'nft "add rule inet vlan_router forward iifname br228 ether daddr $MAC ip daddr 203.0.113.0/24 drop"',
      ],
    );
    assert.deepEqual(
      commands.filter((command) => /^ip .*( up$| route )/.test(command)),
      [
        "ip link set dev vxlan228 up",
        "ip link set dev br228 up",
        "ip -4 route add 203.0.113.0/24 dev br228 table 228 protocol 118 scope link",
        "ip -4 route add default via 203.0.113.1 dev br228 table 228 protocol 118",
      ],
    );
  });

  test("without BGP both learn, and the flood list is that of the port", () => {
    const [network] = configurationOf(
      document(vxlanNetwork({ bridge: true, bgp: undefined, remotes: ["10.0.7.7"] })),
    ).networks;
    assert.ok(network);
    const commands = configurationCommands(network, podNetworks);
    assert.match(commands[2] ?? "", / learning$/);
    assert.equal(commands[5], "ip link set dev vxlan228 type bridge_slave learning on");
    assert.ok(
      commands.includes(
        '[ "$VTEP" = 10.0.7.7 ] || bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.7 self permanent',
      ),
    );
  });

  test("its name, also with the largest VNI, and that of the network are not the bridge's", () => {
    const [network] = planOf(vxlanNetwork({ vni: 16_777_215, bridge: true })).networks;
    assert.deepEqual([network?.link.name, network?.network], ["br16777215", "vxlan16777215"]);
  });

  test("false is the same as nothing", () => {
    assert.deepEqual(planOf(vxlanNetwork({ bridge: false })), planOf(plain));
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ bridge: "maybe" }))), [
      "networks[0].vxlan.bridge: maybe is a text, not a boolean; write true or false",
    ]);
  });

  test("the speaker announces the bridge's MAC from the tunnel's address", () => {
    const [network] = planOf(bridged).networks;
    assert.deepEqual([network?.speaker?.mac, network?.speaker?.vtep], [mac, "10.0.7.11"]);
    assert.ok(network?.link.kind === "bridge" && network.link.mac === mac);
  });
});

describe("a bridge that stands", () => {
  test("needs nothing", () => {
    assert.deepEqual(commandsTo(bridged, carried), []);
  });

  test("C11: a port that learns, and one that somebody took off, are put right", () => {
    assert.deepEqual(commandsTo(bridged, withLink(carried, "vxlan228", { portLearning: true })), [
      "ip link set dev vxlan228 type bridge_slave learning off",
    ]);
    assert.deepEqual(commandsTo(bridged, withLink(carried, "vxlan228", { master: undefined })), [
      "ip link set dev vxlan228 master br228",
      "ip link set dev vxlan228 type bridge_slave learning off",
    ]);
    assert.deepEqual(commandsTo(bridged, withLink(carried, "vxlan228", { master: "br0" })), [
      "ip link set dev vxlan228 master br228",
      "ip link set dev vxlan228 type bridge_slave learning off",
    ]);
  });

  test("settings of bridge and port that break traffic, and the mark of ownership, are made what they were", () => {
    assert.deepEqual(
      commandsTo(bridged, withLink(carried, "br228", { strays: ["noArp", "stp_state"], group: undefined })),
      [
        "ip link set dev br228 group 118118118",
        "ip link set dev br228 arp on",
        "ip link set dev br228 type bridge stp_state 0",
      ],
    );
    assert.deepEqual(commandsTo(bridged, withLink(carried, "vxlan228", { strays: ["flood", "isolated", "locked"] })), [
      "ip link set dev vxlan228 type bridge_slave flood on isolated off locked off",
    ]);
    assert.deepEqual(commandsTo(bridged, withLink(carried, "vxlan228", { strays: ["remote", "ttl"] })), [
      "ip link set dev vxlan228 type vxlan id 228 local 10.0.7.11 nolearning remote 0.0.0.0 ttl auto",
    ]);
  });

  test("C10: MAC and MTU are changed in place", () => {
    assert.deepEqual(commandsTo(bridged, withLink(carried, "br228", { mac: "02:00:00:00:00:99", mtu: 1400 })), [
      "ip link set dev br228 mtu 1500",
      `ip link set dev br228 address ${mac}`,
    ]);
  });

  test("its port is made again with another UDP port, and the bridge with its machines stays", () => {
    const commands = commandsTo(vxlanNetwork({ bridge: true, port: 4790 }), carried);
    assert.deepEqual(commands, [
      "ip link del dev vxlan228",
      `ip link add name vxlan228 address ${mac} mtu 1500 group 118118118 type vxlan id 228 local 10.0.7.11 dstport 4790 nolearning`,
      "ip link set dev vxlan228 alias vlan-router:vxlan228",
      "ip link set dev vxlan228 master br228",
      "ip link set dev vxlan228 type bridge_slave learning off",
      "ip link set dev vxlan228 up",
    ]);
  });

  test("one of that name that is not ours is left alone", () => {
    const links = [...nodeFacts().links, { name: "br228", kind: "bridge", mtu: 1500, up: true }];
    const { unplanned } = planNode(configurationOf(document(bridged)), nodeFacts({ links }));
    assert.deepEqual(
      unplanned.map(({ condition }) => condition.message),
      ["interface br228 exists and was not made by this agent; remove it or choose another segment"],
    );
  });

  test("one that was made and not marked yet, or marked by somebody else, is known by its group", () => {
    for (const alias of [undefined, "mine"]) {
      assert.deepEqual(commandsTo(bridged, withLink(carried, "br228", { alias })), [
        "ip link set dev br228 alias vlan-router:vxlan228",
      ]);
    }
  });
});

describe("from one form to the other", () => {
  test("a bridge takes routes over; the rules stay", () => {
    const state = stateOf(planOf(plain), bare);
    const commands = commandsTo(bridged, state).filter((command) => !command.startsWith("sysctl"));
    assert.deepEqual(commands, [
      "nft replace table inet vlan_router",
      `ip link add name br228 address ${mac} mtu 1500 group 118118118 type bridge`,
      "ip link set dev br228 alias vlan-router:vxlan228",
      "ip link set dev vxlan228 master br228",
      "ip link set dev vxlan228 type bridge_slave learning off",
      "ip link set dev br228 up",
      "ip -4 route replace 203.0.113.0/24 dev br228 table 228 protocol 118 scope link",
      "ip -4 route replace default via 203.0.113.1 dev br228 table 228 protocol 118",
    ]);
    assert.deepEqual(
      interruptions(planOf(plain), planOf(bridged)).map(({ message }) => message),
      [
        "br228 takes routes and addresses over from vxlan228: nothing passes until the fabric and the gateway have learned it again",
      ],
    );
  });

  test("without the bridge the VXLAN interface stays and gets the routes", () => {
    const commands = commandsTo(plain, carried).filter((command) => !command.startsWith("sysctl"));
    assert.deepEqual(commands, [
      "ip link del dev br228",
      "nft replace table inet vlan_router",
      "ip link set dev vxlan228 nomaster",
      "ip -4 route add 203.0.113.0/24 dev vxlan228 table 228 protocol 118 scope link",
      "ip -4 route add default via 203.0.113.1 dev vxlan228 table 228 protocol 118",
    ]);
  });
});

describe("a bridge that nobody wants any more", () => {
  const machine = { name: "tap0", kind: "tun", mtu: 1450, up: true, master: "br228" };
  const removal = (state: ObservedState) => diffPlan(state, { networks: [], unplanned: [] });

  test("goes with its port", () => {
    const { departed, stays } = removal(carried);
    assert.deepEqual(
      departed.map(operationText).filter((text) => text.includes("link")),
      ["ip link del dev vxlan228", "ip link del dev br228"].toSorted(),
    );
    assert.deepEqual(stays, []);
  });

  test("stays while others have ports in it, and says what to do", () => {
    const { departed, stays } = removal({ ...carried, links: [...carried.links, machine] });
    assert.deepEqual(
      departed.map(operationText).filter((text) => text.includes("link")),
      ["ip link del dev vxlan228"],
    );
    assert.deepEqual(stays, [
      {
        reason: "BridgeInUse",
        message:
          "bridge br228 stays as long as others have ports in it (tap0); take them off with: ip link set dev tap0 nomaster",
        network: "vxlan228",
      },
    ]);
  });
});

describe("forwarding entries with a bridge", () => {
  const hosts = [{ mac: "02:00:00:00:00:aa", vtep: "10.0.7.19" }];
  const commands = (...[observed, bridgedHosts]: readonly [never[], Parameters<typeof forwardingOperations>[3]]) =>
    forwardingOperations("vxlan228", { flood: [], hosts }, observed, bridgedHosts).map(operationText);

  test("the bridge is told too, in a request of its own, and not with a permanent entry", () => {
    assert.deepEqual(commands([], []), [
      "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self extern_learn",
      "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 master dynamic extern_learn",
    ]);
  });

  test("a host that the bridge sees behind another port is local, whatever the routes say", () => {
    assert.deepEqual(commands([], [{ mac: "02:00:00:00:00:aa", port: "tap0", external: false }]), [
      "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self extern_learn",
    ]);
  });

  test("what the bridge learned from the segment itself is no entry of ours", () => {
    assert.deepEqual(commands([], [{ mac: "02:00:00:00:00:aa", port: "vxlan228", external: false }]), [
      "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self extern_learn",
      "bridge fdb replace 02:00:00:00:00:aa dev vxlan228 master dynamic extern_learn",
    ]);
  });

  test("an entry that goes leaves both tables", () => {
    const gone = forwardingOperations(
      "vxlan228",
      { flood: [], hosts: [] },
      [{ mac: "02:00:00:00:00:aa", vtep: "10.0.7.19", external: true }],
      [
        { mac: "02:00:00:00:00:aa", port: "vxlan228", external: true },
        { mac: "02:00:00:00:00:bb", port: "tap0", external: false },
      ],
    );
    assert.deepEqual(gone.map(operationText), [
      "bridge fdb del 02:00:00:00:00:aa dev vxlan228 master",
      "bridge fdb del 02:00:00:00:00:aa dev vxlan228 dst 10.0.7.19 self",
    ]);
  });
});
