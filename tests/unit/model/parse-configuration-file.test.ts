import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseConfigurationFile, renderMistake } from "../../../model/index.js";
import { seed } from "../../support/seed.js";

function mistakesOf(text: string): readonly string[] {
  const result = parseConfigurationFile(text);
  return result.ok ? [] : result.mistakes.map(renderMistake);
}

describe("B19: YAML surprises", () => {
  const empty = "configuration: is empty; write podNetworks and networks; to remove every network write networks: []";
  const cases: readonly (readonly [name: string, text: string, mistakes: readonly string[]])[] = [
    ["an empty file", "", [empty]],
    ["only comments", "# nothing yet\n", [empty]],
    ["an empty document", "---\n", [`${empty} (line 1, column 4)`]],
    [
      "several documents",
      `${seed}---\nnetworks: []\n`,
      [
        "configuration: the file holds several documents; write one document, without --- between its parts (line 12, column 1)",
      ],
    ],
    [
      "a key that stands twice",
      "podNetworks: []\nnetworks: []\nnetworks: []\n",
      ["configuration: networks is a key that stands twice in one mapping; keep one of the two (line 3, column 1)"],
    ],
    [
      "a tab",
      "podNetworks: []\nnetworks:\n\t- type: vlan\n",
      ["configuration: is not YAML: tabs are not allowed as indentation; correct the text (line 3, column 1)"],
    ],
    [
      "a leading zero",
      seed.replace("id: 220", "id: 0220"),
      [
        "configuration: 0220 is 220 in YAML 1.2 and 144 in YAML 1.1; write 220 without leading zeros (line 10, column 32)",
      ],
    ],
    [
      "a number in quotes",
      seed.replace("id: 220", 'id: "0220"'),
      ['networks[1].vlan.id: "0220" is a text, not a number; write a whole number from 1 to 4094 (line 10, column 32)'],
    ],
    [
      "a dotted AS number without quotes",
      seed.replace("myAsn: 65001", "myAsn: 1.10"),
      ["networks[0].vxlan.bgp.myAsn: 1.1 is not an integer; write dotted numbers in quotes (line 7, column 21)"],
    ],
    [
      "a key that stands twice in braces",
      seed.replace("id: 220", "id: 220, id: 221"),
      ["configuration: id is a key that stands twice in one mapping; keep one of the two (line 10, column 37)"],
    ],
    [
      "networks: null",
      "podNetworks: []\nnetworks: null\n",
      ["networks: null is empty; write a list of networks, or [] to remove every network (line 2, column 11)"],
    ],
    [
      "networks without a value",
      "podNetworks: []\nnetworks:\n",
      ["networks: null is empty; write a list of networks, or [] to remove every network (line 2, column 10)"],
    ],
    [
      "a block that belongs to the other type",
      seed.replace("type: vlan", "type: vxlan"),
      [
        'networks[1].vlan: {"parent":"bond0","id":220} does not belong to type vxlan; remove it or write type: vlan (line 10, column 5)',
      ],
    ],
    [
      "the other block under type vlan",
      seed.replace("type: vxlan", "type: vlan"),
      [
        'networks[0].vxlan: {"vni":228,"nodeNet":"10.0.7.0/24","bgp":{"myAsn":65001,"pe… does not belong to type vlan; remove it or write type: vxlan (line 4, column 5)',
      ],
    ],
    [
      "no block at all",
      "podNetworks: []\nnetworks:\n  - type: vxlan\n    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }\n",
      ["networks[0].vxlan: is missing; write a mapping with vni, nodeNet and bgp or remotes (line 3, column 5)"],
    ],
    [
      "routing without a value",
      seed.replace("routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }", "routing:"),
      [
        "networks[1].routing: null is empty; write a mapping with cidr and gateway, or a list of such mappings (line 11, column 13)",
      ],
    ],
    [
      "a comma in place of a point",
      seed.replace("203.0.113.1,", '"203.0.113,1",'),
      [
        "networks[0].routing.gateway: 203.0.113,1 is not an IP address; write one address such as 10.0.7.19 or 2001:db8::19, without prefix length or zone (line 8, column 47)",
      ],
    ],
    [
      "an alias to the value around it",
      "podNetworks: []\nnetworks: &all [*all]\n",
      ["configuration: *all names a value that it is part of; write it out (line 2, column 17)"],
    ],
    [
      "aliases that multiply",
      Array.from({ length: 6 }, (_, level) => {
        const item = level === 0 ? "x" : `*l${level - 1}`;
        return `k${level}: &l${level} [${Array(9).fill(item).join(", ")}]\n`;
      }).join(""),
      ["configuration: repeats values by alias too often; write the values out"],
    ],
    [
      "lists in lists without end",
      "[".repeat(20_000),
      ["configuration: is nested too deeply; correct the text (line 1, column 101)"],
    ],
    [
      "a key that is missing",
      seed.replace("id: 220", "mtu: 1500"),
      ["networks[1].vlan.id: is missing; write a whole number from 1 to 4094 (line 10, column 11)"],
    ],
    [
      "an unknown key",
      seed.replace("podNetworks", "podNetwork"),
      ['podNetwork: ["10.244.0.0/16","10.96.0.0/16"] is not a known key; did you mean podNetworks? (line 1, column 1)'],
    ],
  ];
  for (const [name, text, mistakes] of cases) test(name, () => assert.deepEqual(mistakesOf(text), mistakes));
});

test("B19: Windows line ends and JSON are read like YAML", () => {
  const plain = parseConfigurationFile(seed);
  assert.equal(plain.ok, true);
  assert.deepEqual(parseConfigurationFile(seed.replaceAll("\n", "\r\n")), plain);
  assert.deepEqual(parseConfigurationFile(JSON.stringify(plain.ok && plain.value)), plain);
});

test("B19: only networks: [], written out, removes every network", () => {
  const result = parseConfigurationFile("podNetworks: []\nnetworks: []\n");
  assert.deepEqual(result, { ok: true, value: { podNetworks: [], networks: [] }, warnings: [] });
});

test("mistakes stand in the order of the file", () => {
  const text = seed
    .replace("203.0.113.0/24", "203.0.113.7/24")
    .replace("198.51.100.1 ", "192.0.2.1 ")
    .replace("vni: 228", "vni: 0");
  const result = parseConfigurationFile(text);
  assert.deepEqual(!result.ok && result.mistakes.map(({ line, column, code }) => [line, column, code]), [
    [5, 12, "OutOfRange"],
    [8, 22, "HostBits"],
    [11, 48, "GatewayOutsidePrefix"],
  ]);
});
