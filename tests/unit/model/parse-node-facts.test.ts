import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNodeFacts, renderMistake } from "../../../model/index.js";
import { nodeFacts } from "./samples.js";

/** Two interfaces and one address, on lines of their own. */
const document = `{
  "nodeName": "n1",
  "labels": { "rack": "a" },
  "links": [
    { "name": "eth0", "mtu": 1600, "up": true },
    { "name": "vxlan228", "kind": "vxlan", "alias": "vlan-router:vxlan228", "mtu": 1550, "up": true,
      "mac": "be:bb:41:ce:c7:ed", "local": "10.0.7.5" }
  ],
  "addresses": [
    { "device": "eth0", "family": 4, "address": "10.0.7.5", "prefixLength": 24,
      "secondary": false, "deprecated": false, "tentative": false }
  ],
  "marks": [{ "table": 228, "mark": { "value": 16, "mask": 16368 } }],
  "rpFilterAll": 0,
  "localRulePriority": 0
}
`;

test("facts are what the document says", () => {
  assert.deepEqual(parseNodeFacts(document), {
    ok: true,
    value: {
      nodeName: "n1",
      labels: { rack: "a" },
      links: [
        { name: "eth0", mtu: 1600, up: true },
        {
          name: "vxlan228",
          kind: "vxlan",
          alias: "vlan-router:vxlan228",
          mtu: 1550,
          up: true,
          mac: "be:bb:41:ce:c7:ed",
          local: "10.0.7.5",
        },
      ],
      addresses: [
        {
          device: "eth0",
          family: 4,
          address: "10.0.7.5",
          prefixLength: 24,
          secondary: false,
          deprecated: false,
          tentative: false,
        },
      ],
      marks: [{ table: 228, mark: { value: 16, mask: 16368 } }],
      rpFilterAll: 0,
      localRulePriority: 0,
    },
    warnings: [],
  });
});

test("what the agent holds comes through JSON unchanged", () => {
  const facts = nodeFacts();
  assert.deepEqual(parseNodeFacts(JSON.stringify(facts)), { ok: true, value: facts, warnings: [] });
});

const wrong: readonly (readonly [name: string, text: string, mistakes: readonly string[]])[] = [
  [
    "an empty document",
    "",
    [
      "configuration: is empty; write a mapping with nodeName, labels, links, addresses, marks, rpFilterAll and localRulePriority",
    ],
  ],
  [
    "half a document",
    "{",
    ["configuration: is not YAML: flow map must end with a }; correct the text (line 1, column 2)"],
  ],
  [
    "several mistakes",
    document.replace('"mtu": 1600', '"mtu": "1600"').replace('"rpFilterAll": 0', '"rpFilterAll": 7'),
    [
      'links[0].mtu: "1600" is a text, not a number; write a whole number from 0 to 4294967295 (line 5, column 30)',
      "rpFilterAll: 7 is out of range; write net.ipv4.conf.all.rp_filter: 0, 1 or 2 (line 14, column 18)",
    ],
  ],
  [
    "a key that is missing",
    document.replace('"labels": { "rack": "a" },', ""),
    ["labels: is missing; write a mapping of node labels to their values, or {} (line 1, column 1)"],
  ],
  [
    "an unknown key",
    document.replace('"local":', '"locl":'),
    ["links[1].locl: 10.0.7.5 is not a known key; did you mean local? (line 7, column 35)"],
  ],
  [
    "no address",
    document.replace('"address": "10.0.7.5"', '"address": "10.0.7"'),
    ["addresses[0].address: 10.0.7 is not an IP address; write an address such as 10.0.7.5 (line 10, column 49)"],
  ],
  [
    "the other family",
    document.replace('"family": 4', '"family": 6'),
    ["addresses[0].family: 6 is not the family of 10.0.7.5; write 4 (line 10, column 35)"],
  ],
  [
    "a prefix that is too long",
    document.replace('"prefixLength": 24', '"prefixLength": 33'),
    [
      "addresses[0].prefixLength: 33 is out of range; write a whole number from 0 to 32, or to 128 for IPv6 (line 10, column 77)",
    ],
  ],
  [
    "an address on an interface that is not listed",
    document.replace('"device": "eth0"', '"device": "eth1"'),
    ["addresses[0].device: eth1 is not one of the links; add the interface to links (line 10, column 17)"],
  ],
];

for (const [name, text, mistakes] of wrong) {
  test(`${name} is refused`, () => {
    const result = parseNodeFacts(text);
    assert.deepEqual(result.ok ? [] : result.mistakes.map(renderMistake), mistakes);
  });
}

test("a node with IPVS says what it does with connections", () => {
  const withIpvs = (ipvs: string) =>
    parseNodeFacts(document.replace('"rpFilterAll": 0', `"rpFilterAll": 0, "ipvs": ${ipvs}`));
  const parsed = withIpvs('{ "conntrack": true, "snatReroute": false }');
  assert.deepEqual(parsed.ok && parsed.value.ipvs, { conntrack: true, snatReroute: false });
  assert.equal(withIpvs('{ "conntrack": true }').ok, false);
});
