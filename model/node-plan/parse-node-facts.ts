import { z } from "zod";
import { addressBits, canonicalAddress, parseAddress } from "../address/address.js";
import type { Finding, Path } from "../configuration/finding.js";
import type { ParseResult } from "../configuration/mistake.js";
import { type Examined, parseDocument } from "../configuration/parse-document.js";
import { schemaFindings, type Vocabulary, withoutMisspelt } from "../configuration/schema-findings.js";
import type { NodeFacts } from "./node-facts.js";

/** FRA_PRIORITY, FRA_TABLE and the packet mark are 32 bits wide. */
const unsigned32 = z.int().min(0).max(0xffff_ffff);
const text = z.string().min(1);

const mark = z.strictObject({ value: unsigned32, mask: unsigned32 });

const link = z.strictObject({
  name: text,
  kind: text.exactOptional(),
  alias: z.string().exactOptional(),
  group: unsigned32.exactOptional(),
  mtu: unsigned32,
  up: z.boolean(),
  mac: text.exactOptional(),
  parent: text.exactOptional(),
  vlanId: unsigned32.exactOptional(),
  master: text.exactOptional(),
  local: text.exactOptional(),
  vni: unsigned32.exactOptional(),
  port: unsigned32.exactOptional(),
  external: z.literal(true).exactOptional(),
});

const address = z.strictObject({
  device: text,
  family: z.union([z.literal(4), z.literal(6)]),
  address: text,
  prefixLength: unsigned32,
  secondary: z.boolean(),
  deprecated: z.boolean(),
  tentative: z.boolean(),
  metric: unsigned32.exactOptional(),
});

const nodeFactsSchema = z.strictObject({
  nodeName: text,
  labels: z.record(z.string(), z.string()),
  links: z.array(link),
  addresses: z.array(address),
  marks: z.array(z.strictObject({ table: unsigned32, mark })),
  rpFilterAll: z.int().min(0).max(2),
  localRulePriority: unsigned32,
  ipvs: z.strictObject({ conntrack: z.boolean(), snatReroute: z.boolean() }).exactOptional(),
  foreignTables: z.array(unsigned32).exactOptional(),
  ipv6: z.boolean().exactOptional(),
}) satisfies z.ZodType<NodeFacts>;

const number = "a whole number from 0 to 4294967295";
const flag = "true or false";

/** What to write, by path without list positions. */
const help: Readonly<Record<string, string>> = {
  "": "a mapping with nodeName, labels, links, addresses, marks, rpFilterAll and localRulePriority",
  nodeName: "the node's name",
  labels: "a mapping of node labels to their values, or {}",
  links: "a list of interfaces, each with name, mtu and up",
  "links.name": "the interface's name",
  "links.kind": "its kind, such as bond, or leave it out for a physical interface",
  "links.alias": "its alias, or leave it out",
  "links.group": "the number of its group, or leave it out",
  "links.mtu": number,
  "links.up": flag,
  "links.mac": "its MAC address, or leave it out",
  "links.parent": "the interface below a VLAN interface, or leave it out",
  "links.vlanId": "the id of a VLAN interface, or leave it out",
  "links.master": "the bridge, bond or VRF of which it is a part, or leave it out",
  "links.local": "the local address of a VXLAN interface, or leave it out",
  "links.vni": "the VNI of a VXLAN interface, or leave it out",
  "links.port": "the UDP port of a VXLAN interface, or leave it out",
  "links.external": "true for a VXLAN interface in metadata mode, or leave it out",
  addresses: "a list of addresses, each with device, family, address and prefixLength, or []",
  "addresses.device": "the name of the interface that carries it",
  "addresses.family": "4 or 6",
  "addresses.address": "an address such as 10.0.7.5",
  "addresses.prefixLength": "a whole number from 0 to 32, or to 128 for IPv6",
  "addresses.secondary": flag,
  "addresses.deprecated": flag,
  "addresses.tentative": flag,
  "addresses.metric": "the metric that somebody gave it, or leave it out",
  marks: "a list of marks that rules of ours hold, each with table and mark, or []",
  "marks.table": number,
  "marks.mark": "a mapping with value and mask",
  "marks.mark.value": number,
  "marks.mark.mask": number,
  rpFilterAll: "net.ipv4.conf.all.rp_filter: 0, 1 or 2",
  localRulePriority: "the priority of the rule that looks up the local table, usually 0",
  ipvs: "a mapping with conntrack and snatReroute, or leave it out where the kernel has not loaded IPVS",
  "ipvs.conntrack": "true where net.ipv4.vs.conntrack is 1",
  "ipvs.snatReroute": "true where net.ipv4.vs.snat_reroute is 1",
  foreignTables: "a list of routing tables that other programs' rules look up, or leave it out",
  ipv6: "false where the kernel has no IPv6, or leave it out",
};

const placeOf = (path: Path): string => path.filter((step) => typeof step === "string").join(".");

const vocabulary: Vocabulary = {
  help: (path) => help[placeOf(path)] ?? "a text",
  keys: (path) => {
    const inside = path.length === 0 ? "" : `${placeOf(path)}.`;
    return Object.keys(help)
      .filter((key) => key !== "" && key.startsWith(inside))
      .map((key) => key.slice(inside.length))
      .filter((key) => !key.includes("."));
  },
};

/** Reads the facts of a node (a JSON or YAML document) for a plan that is made away from it; all mistakes at once. */
export function parseNodeFacts(text: string): ParseResult<NodeFacts> {
  return parseDocument(text, examine);
}

function examine(source: unknown): Examined<NodeFacts> {
  if (source === undefined || source === null) return { value: undefined, mistakes: [empty], warnings: [] };
  const parsed = nodeFactsSchema.safeParse(source);
  if (!parsed.success) {
    const found = schemaFindings(parsed.error.issues, source, vocabulary);
    return { value: undefined, mistakes: withoutMisspelt(found), warnings: [] };
  }
  const mistakes = [...parsed.data.addresses.flatMap(addressFindings), ...unknownDevices(parsed.data)];
  return { value: mistakes.length === 0 ? parsed.data : undefined, mistakes, warnings: [] };
}

const empty: Finding = {
  code: "Missing",
  path: [],
  message: "is empty",
  remedy: `write ${help[""]}`,
};

type AddressFact = NodeFacts["addresses"][number];

function addressFindings(fact: AddressFact, index: number): readonly Finding[] {
  const at = (key: keyof AddressFact) => ({ path: ["addresses", index, key], value: fact[key] });
  const remedy = (key: keyof AddressFact) => `write ${help[`addresses.${key}`]}`;
  const parsed = parseAddress(fact.address);
  if (parsed === undefined) {
    return [{ code: "InvalidAddress", ...at("address"), message: "is not an IP address", remedy: remedy("address") }];
  }
  if (parsed.family !== fact.family) {
    const message = `is not the family of ${canonicalAddress(fact.address)}`;
    return [{ code: "FamilyMismatch", ...at("family"), message, remedy: `write ${parsed.family}` }];
  }
  if (fact.prefixLength <= addressBits(parsed.family)) return [];
  return [{ code: "OutOfRange", ...at("prefixLength"), message: "is out of range", remedy: remedy("prefixLength") }];
}

/** An address on an interface that is not listed would be passed over without a word. */
function unknownDevices({ links, addresses }: NodeFacts): readonly Finding[] {
  const names = new Set(links.map(({ name }) => name));
  return addresses.flatMap(({ device }, index): Finding[] =>
    names.has(device)
      ? []
      : [
          {
            code: "NotOneOf",
            path: ["addresses", index, "device"],
            value: device,
            message: "is not one of the links",
            remedy: "add the interface to links",
          },
        ],
  );
}
