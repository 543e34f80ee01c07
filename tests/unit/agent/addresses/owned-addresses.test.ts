import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { KeptClaim } from "../../../../agent-image/agent/addresses/claim-store.js";
import {
  type OwnershipInput,
  ownedAddresses,
  staticAddressesOfServices,
} from "../../../../agent-image/agent/addresses/owned-addresses.js";
import { serviceNotices } from "../../../../agent-image/agent/core/service-notices.js";
import { repositoryRoot } from "../../../../lab/bootstrap/repository.mjs";
import type { AddressFact } from "../../../../model/index.js";

const claim: KeptClaim = {
  service: "default/echo",
  node: "n1",
  object: "l2-aaaaa",
  statedAt: "2026-01-01T10:00:00Z",
  interfaces: [],
  addresses: ["203.0.113.10"],
};
const base: OwnershipInput = {
  nodeName: "n1",
  networks: [
    { network: "vxlan228", device: "vxlan228", prefixes: ["203.0.113.0/24", "2001:db8:1::/64"] },
    { network: "vlan220", device: "vlan220", prefixes: ["198.51.100.0/24"] },
  ],
  claims: [],
  serviceAddresses: [],
  kernelAddresses: [],
};

function on(device: string, address: string): AddressFact {
  return {
    device,
    family: address.includes(":") ? 6 : 4,
    address,
    prefixLength: address.includes(":") ? 128 : 32,
    secondary: false,
    deprecated: false,
    tentative: false,
  };
}

function addressesOf(input: OwnershipInput): string[] {
  return ownedAddresses(input).map(({ network, address }) => `${network} ${address}`);
}

test("D2: each address of a claimed Service falls to the network whose prefix holds it; others are ignored", () => {
  const addresses = ["203.0.113.10", "198.51.100.7", "2001:DB8:1:0::10", "192.0.2.1"];
  assert.deepEqual(addressesOf({ ...base, claims: [{ ...claim, addresses }] }), [
    "vlan220 198.51.100.7",
    "vxlan228 2001:db8:1::10",
    "vxlan228 203.0.113.10",
  ]);
});

test("of nested prefixes the longest holds the address, whatever the order of the networks", () => {
  const networks = [...base.networks, { network: "vlan221", device: "vlan221", prefixes: ["203.0.113.64/29"] }];
  const claims = [{ ...claim, addresses: ["203.0.113.66", "203.0.113.72"] }];
  const kernelAddresses = [on("lo", "203.0.113.67"), on("vxlan228", "203.0.113.68")];
  for (const ordered of [networks, networks.toReversed()]) {
    assert.deepEqual(addressesOf({ ...base, networks: ordered, claims, kernelAddresses }), [
      "vlan221 203.0.113.66",
      "vlan221 203.0.113.67",
      "vxlan228 203.0.113.72",
    ]);
  }
});

test("D9: another node's claim gives nothing", () => {
  assert.deepEqual(addressesOf({ ...base, claims: [{ ...claim, node: "n2" }] }), []);
});

test("addresses on lo and on the network's own interface count; those of other interfaces do not", () => {
  const kernelAddresses = [
    on("lo", "203.0.113.20"),
    on("lo", "127.0.0.1"),
    on("vxlan228", "203.0.113.21"),
    on("kube-ipvs0", "203.0.113.22"),
    on("vlan220", "203.0.113.23"),
    on("eth0", "10.0.7.11"),
  ];
  assert.deepEqual(addressesOf({ ...base, kernelAddresses }), ["vxlan228 203.0.113.20", "vxlan228 203.0.113.21"]);
});

test("an IPv6 address counts once the kernel knows that nobody else has it", () => {
  const address = on("vxlan228", "2001:db8:1::20");
  assert.deepEqual(addressesOf({ ...base, kernelAddresses: [{ ...address, tentative: true }] }), []);
  assert.deepEqual(addressesOf({ ...base, kernelAddresses: [address] }), ["vxlan228 2001:db8:1::20"]);
});

test("an address on lo that belongs to a Service is MetalLB's to give", () => {
  const input = { ...base, kernelAddresses: [on("lo", "203.0.113.10")], serviceAddresses: ["203.0.113.10"] };
  assert.deepEqual(addressesOf(input), []);
  assert.deepEqual(ownedAddresses({ ...input, claims: [claim] }), [
    {
      network: "vxlan228",
      address: "203.0.113.10",
      source: { kind: "metallb", service: "default/echo", elsewhere: false },
    },
  ]);
});

test("D10: a claim that names other interfaces than ours is told apart", () => {
  const owned = ownedAddresses({ ...base, claims: [{ ...claim, interfaces: ["eth0"] }] });
  assert.deepEqual(owned[0]?.source, { kind: "metallb", service: "default/echo", elsewhere: true });
});

test("D1: an address that two Services share has one owner, also while only one of them has moved", () => {
  const moved = { ...claim, service: "default/mail", node: "n2", object: "l2-bbbbb", statedAt: "2026-01-01T10:05:00Z" };
  for (const claims of [
    [claim, moved],
    [moved, claim],
  ]) {
    assert.deepEqual(addressesOf({ ...base, claims }), []);
    assert.deepEqual(addressesOf({ ...base, claims, nodeName: "n2" }), ["vxlan228 203.0.113.10"]);
  }
});

test("C13: LoadBalancer addresses come from claims, which the API server tells; the kernel neither gives nor ends one", () => {
  const input = { ...base, serviceAddresses: ["203.0.113.10"] };
  for (const kernelAddresses of [
    [],
    [on("lo", "203.0.113.10")],
    [on("vxlan228", "203.0.113.10")],
    [on("kube-ipvs0", "203.0.113.10")],
    [{ ...on("vxlan228", "203.0.113.10"), tentative: true }],
  ]) {
    assert.deepEqual(addressesOf({ ...input, kernelAddresses }), []);
    assert.deepEqual(addressesOf({ ...input, kernelAddresses, claims: [{ ...claim, node: "n2" }] }), []);
    assert.deepEqual(addressesOf({ ...input, kernelAddresses, claims: [claim] }), ["vxlan228 203.0.113.10"]);
  }
});

/** A STALE neighbour is a host that was silent for a while (openperouter/openperouter#211), so its state may not decide. */
test("C13: what decides who owns an address does not read neighbour entries", () => {
  const deciding = [
    ...readdirSync(join(repositoryRoot, "agent-image/agent/addresses")).map((name) => `addresses/${name}`),
    "core/claim-follower.ts",
    "core/announcements.ts",
  ];
  assert.ok(deciding.includes("addresses/owned-addresses.ts"));
  const reading = deciding.filter((path) =>
    /\bneigh\b|keepNeighbours|NeighbourEntry|neighbours\.js/.test(
      readFileSync(join(repositoryRoot, "agent-image/agent", path), "utf8"),
    ),
  );
  assert.deepEqual(reading, []);
});

const pinned = { ...base, networks: base.networks.map((network) => ({ ...network, staticAddresses: [] })) };
const pinning: OwnershipInput = {
  ...pinned,
  networks: [
    {
      network: "vxlan228",
      device: "vxlan228",
      prefixes: ["203.0.113.0/24", "2001:db8:1::/64"],
      staticAddresses: [{ address: "203.0.113.10" }, { address: "2001:db8:1::10" }],
    },
  ],
};
/** As `ip -json address` prints what the agent has installed. */
const installed = (address: string): AddressFact => ({ ...on("vxlan228", address), metric: 118118118 });

test("an address that is pinned to this node is owned once it is installed", () => {
  assert.deepEqual(ownedAddresses(pinning), []);
  assert.deepEqual(
    ownedAddresses({ ...pinning, kernelAddresses: [installed("203.0.113.10"), installed("2001:db8:1::10")] }),
    [
      { network: "vxlan228", address: "2001:db8:1::10", source: { kind: "static" } },
      { network: "vxlan228", address: "203.0.113.10", source: { kind: "static" } },
    ],
  );
});

test("an address that somebody else has put on the interface counts for the pinned one; on lo it is the interface's", () => {
  const sources = (device: string) =>
    ownedAddresses({ ...pinning, kernelAddresses: [on(device, "203.0.113.10")] }).map(({ source }) => source);
  assert.deepEqual(sources("vxlan228"), [{ kind: "static" }]);
  assert.deepEqual(sources("lo"), [{ kind: "interface", device: "lo" }]);
});

test("what was installed and is pinned elsewhere now is not owned, even while it is still there", () => {
  assert.deepEqual(addressesOf({ ...pinned, kernelAddresses: [installed("203.0.113.10")] }), []);
});

test("a pinned address of a Service follows MetalLB's claim, and is told of", () => {
  const input = {
    ...pinning,
    serviceAddresses: ["203.0.113.10", "203.0.113.11"],
    kernelAddresses: [installed("203.0.113.10")],
  };
  assert.deepEqual(ownedAddresses(input), []);
  assert.deepEqual(ownedAddresses({ ...input, claims: [claim] }), [
    {
      network: "vxlan228",
      address: "203.0.113.10",
      source: { kind: "metallb", service: "default/echo", elsewhere: false },
    },
  ]);
  const both = staticAddressesOfServices(input.networks, input.serviceAddresses);
  assert.deepEqual([...both], [["vxlan228", ["203.0.113.10"]]]);
  assert.deepEqual(serviceNotices(both).get("vxlan228"), [
    {
      reason: "StaticAddressOfService",
      message:
        "203.0.113.10: pinned to this node by staticAddresses, and a LoadBalancer Service has it too, so MetalLB says which " +
        "node answers for it; take it out of MetalLB's pool and off the Service, or out of staticAddresses",
    },
  ]);
});
