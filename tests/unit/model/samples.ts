import { type Configuration, type NodeFacts, parseConfiguration, renderMistake } from "../../../model/index.js";

type Json = { readonly [key: string]: unknown };

/** A VXLAN network as a person writes it; `change` and `vxlan` lay keys over it. */
export function vxlanNetwork(vxlan: Json = {}, routing: Json = {}, change: Json = {}): Json {
  return {
    type: "vxlan",
    vxlan: {
      vni: 228,
      nodeNet: "10.0.7.0/24",
      bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] },
      ...vxlan,
    },
    routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1", ...routing },
    ...change,
  };
}

export function vlanNetwork(vlan: Json = {}, routing: Json = {}, change: Json = {}): Json {
  return {
    type: "vlan",
    vlan: { parent: "bond0", id: 220, ...vlan },
    routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1", ...routing },
    ...change,
  };
}

export function document(...networks: readonly unknown[]): Json {
  return { podNetworks: ["10.244.0.0/16", "10.96.0.0/16"], networks };
}

/** Every mistake as the line that a person reads. */
export function mistakesOf(value: unknown): readonly string[] {
  const result = parseConfiguration(value);
  return result.ok ? [] : result.mistakes.map(renderMistake);
}

export function configurationOf(value: unknown): Configuration {
  const result = parseConfiguration(value);
  if (!result.ok) throw new Error(result.mistakes.map(renderMistake).join("\n"));
  return result.value;
}

/** A node with eth0 10.0.7.11/24 and bond0, and nothing of ours yet. */
export function nodeFacts(change: Partial<NodeFacts> = {}): NodeFacts {
  return {
    nodeName: "n1",
    labels: {},
    links: [
      { name: "eth0", mtu: 1550, up: true },
      { name: "bond0", kind: "bond", mtu: 9000, up: true },
    ],
    addresses: [address("eth0", "10.0.7.11", 24)],
    marks: [],
    rpFilterAll: 0,
    localRulePriority: 0,
    ...change,
  };
}

export function address(
  device: string,
  text: string,
  prefixLength: number,
  change: Partial<NodeFacts["addresses"][number]> = {},
): NodeFacts["addresses"][number] {
  const family = text.includes(":") ? 6 : 4;
  return {
    device,
    family,
    address: text,
    prefixLength,
    secondary: false,
    deprecated: false,
    tentative: false,
    ...change,
  };
}
