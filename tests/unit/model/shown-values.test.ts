import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseConfigurationFile, renderMistake, unknownValue } from "../../../model/index.js";
import { seed } from "../../support/seed.js";

function linesOf(text: string): readonly string[] {
  const result = parseConfigurationFile(text);
  return result.ok ? [] : result.mistakes.map(renderMistake);
}

/** The seed file with one text in place of another. */
function changed(from: string, to: string): string {
  assert.ok(seed.includes(from), from);
  return seed.replace(from, to);
}

const number = "write a whole number from 1 to 4094 (line 10, column 32)";

describe("a value is shown as it was written", () => {
  const cases: readonly (readonly [name: string, from: string, to: string, line: string])[] = [
    [
      "a boolean in quotes",
      "arpAnnouncer: true",
      'onlink: "true"',
      'networks[0].routing.onlink: "true" is a text, not a boolean; write true or false, without quotes (line 8, column 68)',
    ],
    [
      "a boolean in quotes where a mapping may stand too",
      "arpAnnouncer: true",
      'arpAnnouncer: "true"',
      'networks[0].routing.arpAnnouncer: "true" is a text, not a mapping; write true, false or a mapping with interval, without quotes (line 8, column 74)',
    ],
    [
      "a boolean as a label",
      "type: vlan",
      "type: vlan\n    nodeSelector: { edge: true }",
      'networks[1].nodeSelector.edge: true is not a text; write "true" in quotes (line 10, column 27)',
    ],
    [
      "a number as a label",
      "type: vlan",
      "type: vlan\n    nodeSelector: { a: 1 }",
      'networks[1].nodeSelector.a: 1 is not a text; write "1" in quotes (line 10, column 24)',
    ],
    ["infinity", "id: 220", "id: .inf", `networks[1].vlan.id: .inf is not a whole number; ${number}`],
    ["minus infinity", "id: 220", "id: -.inf", `networks[1].vlan.id: -.inf is not a whole number; ${number}`],
    ["no number", "id: 220", "id: .nan", `networks[1].vlan.id: .nan is not a whole number; ${number}`],
    ["a number in quotes", "id: 220", 'id: "220"', `networks[1].vlan.id: "220" is a text, not a number; ${number}`],
    [
      "a number beyond all integers, once",
      "id: 220",
      "id: 99999999999999999999999999",
      `networks[1].vlan.id: 1e+26 is out of range; ${number}`,
    ],
    [
      "a blank behind a prefix",
      "203.0.113.0/24",
      '"203.0.113.0/24 "',
      'networks[0].routing.cidr: "203.0.113.0/24 " is not a prefix; write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64 (line 8, column 22)',
    ],
    [
      "a blank before an address",
      "203.0.113.1,",
      '" 203.0.113.1",',
      'networks[0].routing.gateway: " 203.0.113.1" is not an IP address; write one address such as 10.0.7.19 or 2001:db8::19, without prefix length or zone (line 8, column 47)',
    ],
    [
      "a blank behind an AS number",
      "myAsn: 65001",
      'myAsn: "65001 "',
      'networks[0].vxlan.bgp.myAsn: "65001 " is not an AS number; write a whole number from 1 to 4294967294, or asdot in quotes such as "64512.1" (line 7, column 21)',
    ],
    [
      "a no-break space",
      "parent: bond0",
      'parent: "bond\u00a00"',
      'networks[1].vlan.parent: "bond\\u00a00" is not an interface name; write 1 to 15 characters without space, slash or colon, such as bond0 (line 10, column 21)',
    ],
    [
      "a control character",
      "parent: bond0",
      'parent: "\\e[31mred"',
      'networks[1].vlan.parent: "\\u001b[31mred" is not an interface name; write 1 to 15 characters without space, slash or colon, such as bond0 (line 10, column 21)',
    ],
    [
      "one of eight bits",
      "parent: bond0",
      'parent: "\\x9b31mred"',
      'networks[1].vlan.parent: "\\u009b31mred" is not an interface name; write 1 to 15 characters without space, slash or colon, such as bond0 (line 10, column 21)',
    ],
    [
      "a character that turns the direction of text",
      "parent: bond0",
      'parent: "a\\u202eb"',
      'networks[1].vlan.parent: "a\\u202eb" is not an interface name; write 1 to 15 characters without space, slash or colon, such as bond0 (line 10, column 21)',
    ],
    [
      "a control character in a key",
      "id: 220",
      'id: 220, "\\e[2J": 1',
      "networks[1].vlan.\\u001b[2J: 1 is not a known key; remove it; what may stand here: id, mtu, parent (line 10, column 37)",
    ],
    [
      "an IPv4-mapped prefix",
      "cidr: 203.0.113.0/24",
      "cidr: ::ffff:203.0.113.0/120",
      "networks[0].routing.cidr: ::ffff:203.0.113.0/120 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write 203.0.113.0/24 (line 8, column 22)",
    ],
    [
      "an IPv4-mapped address",
      "gateway: 203.0.113.1,",
      "gateway: ::ffff:203.0.113.1,",
      "networks[0].routing.gateway: ::ffff:203.0.113.1 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write 203.0.113.1 (line 8, column 47)",
    ],
    [
      "an IPv4-mapped address in hexadecimal",
      "gateway: 203.0.113.1,",
      "gateway: ::ffff:cb00:7101,",
      "networks[0].routing.gateway: ::ffff:cb00:7101 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write 203.0.113.1 (line 8, column 47)",
    ],
    [
      "an IPv4-mapped prefix with host bits",
      "cidr: 203.0.113.0/24",
      "cidr: ::ffff:203.0.113.1/120",
      "networks[0].routing.cidr: ::ffff:203.0.113.1/120 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write 203.0.113.0/24 (line 8, column 22)",
    ],
    [
      "all IPv4-mapped addresses, which are no prefix of IPv4 to write instead",
      "cidr: 203.0.113.0/24",
      "cidr: ::ffff:0:0/96",
      "networks[0].routing.cidr: ::ffff:0:0/96 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64 (line 8, column 22)",
    ],
    [
      "a prefix that is shorter than what is mapped",
      "cidr: 203.0.113.0/24",
      "cidr: ::ffff:0.0.0.0/90",
      "networks[0].routing.cidr: ::ffff:0.0.0.0/90 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64 (line 8, column 22)",
    ],
    [
      "a length beyond every address",
      "cidr: 203.0.113.0/24",
      "cidr: ::ffff:203.0.113.0/129",
      "networks[0].routing.cidr: ::ffff:203.0.113.0/129 is not a prefix; write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64 (line 8, column 22)",
    ],
    [
      "an IPv4-mapped router id",
      "peerAsn: 65001,",
      'peerAsn: 65001, routerId: "::ffff:10.0.7.9",',
      "networks[0].vxlan.bgp.routerId: ::ffff:10.0.7.9 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write 10.0.7.9 (line 7, column 54)",
    ],
    [
      "an IPv4-compatible gateway",
      "gateway: 203.0.113.1,",
      "gateway: ::203.0.113.1,",
      "networks[0].routing.gateway: ::203.0.113.1 is not of the family of 203.0.113.0/24; write a gateway of the same family (line 8, column 47)",
    ],
  ];
  for (const [name, from, to, line] of cases) test(name, () => assert.deepEqual(linesOf(changed(from, to)), [line]));
});

test("a switch is read in the words of YAML 1.1 too, which kubectl reads", () => {
  const text = changed("arpAnnouncer: true", "arpAnnouncer: yes, onlink: on")
    .replace("vni: 228", "vni: 228\n      bridge: no")
    .replace("type: vlan", "type: vlan\n    segmentFilter: off");
  const result = parseConfigurationFile(text);
  assert.ok(result.ok);
  const [tunnel, vlan] = result.value.networks;
  assert.ok(tunnel?.type === "vxlan");
  assert.deepEqual(
    [tunnel.vxlan.bridge, tunnel.routing[0]?.onlink, tunnel.routing[0]?.arpAnnouncer, vlan?.segmentFilter],
    [false, true, { enabled: true, interval: 60 }, false],
  );
});

describe("one cause has one message", () => {
  const tab = "configuration: is not YAML: tabs are not allowed as indentation; correct the text";
  const cases: readonly (readonly [name: string, text: string, lines: readonly string[]])[] = [
    ["one tab", changed("      vni", "\tvni"), [`${tab} (line 5, column 1)`]],
    ["all tabs", seed.replaceAll("  ", "\t"), [`${tab} (line 3, column 1)`]],
    [
      "carriage returns alone",
      seed.replaceAll("\n", "\r"),
      [
        "configuration: holds a carriage return that ends no line; end lines with a line feed, as text files do today (line 1, column 43)",
      ],
    ],
    [
      "a carriage return that would hide what follows in a comment",
      seed.replace("podNetworks", "# ours\rpodNetworks"),
      [
        "configuration: holds a carriage return that ends no line; end lines with a line feed, as text files do today (line 1, column 7)",
      ],
    ],
    [
      "a key twice, and then what is no YAML",
      "podNetworks: []\npodNetworks: []\nnetworks: ]\n",
      [
        "configuration: podNetworks is a key that stands twice in one mapping; keep one of the two (line 2, column 1)",
        "configuration: is not YAML: unexpected flow-seq-end token in YAML stream; correct the text (line 3, column 11)",
      ],
    ],
    [
      "a mapping as a key",
      changed("id: 220", "{ a: 1 }: 220"),
      ["configuration: { a: 1 } is a key that is not a text; write it in quotes (line 10, column 28)"],
    ],
    [
      "a misspelt key, which is not missing besides",
      changed("gateway: 203.0.113.1,", "gatway: 203.0.113.1,"),
      ["networks[0].routing.gatway: 203.0.113.1 is not a known key; did you mean gateway? (line 8, column 38)"],
    ],
    [
      "a misspelt key beside the right one",
      changed("gateway: 203.0.113.1,", "gateway: 203.0.113.1, gatway: 203.0.113.2,"),
      ["networks[0].routing.gatway: 203.0.113.2 is not a known key; did you mean gateway? (line 8, column 60)"],
    ],
  ];
  for (const [name, text, lines] of cases) test(name, () => assert.deepEqual(linesOf(text), lines));
});

describe("other versions of YAML", () => {
  const other = "is another version of YAML than the one that is read here; write %YAML 1.2, or remove the line";
  test("1.1, with a number that is another one there", () => {
    assert.deepEqual(linesOf(`%YAML 1.1\n---\n${changed("id: 220", "id: 0220")}`), [
      `configuration: %YAML 1.1 ${other} (line 1, column 1)`,
      "configuration: 0220 is 220 in YAML 1.2 and 144 in YAML 1.1; write 220 without leading zeros (line 12, column 32)",
    ]);
  });
  test("1.3", () =>
    assert.deepEqual(linesOf(`%YAML 1.3\n---\n${seed}`), [`configuration: %YAML 1.3 ${other} (line 1, column 1)`]));
  test("1.2 is the one", () => assert.deepEqual(linesOf(`%YAML 1.2\n---\n${seed}`), []));
});

describe("Pulumi's placeholder for a value in a file", () => {
  const written = "is a value that Pulumi did not know yet when this was written; write the value itself";
  const cases: readonly (readonly [from: string, to: string, lines: readonly string[]])[] = [
    ["203.0.113.0/24", unknownValue, [`networks[0].routing.cidr: ${written} (line 8, column 22)`]],
    ["10.96.0.0/16", unknownValue, [`podNetworks[1]: ${written} (line 1, column 30)`]],
    [
      "id: 220",
      `id: ${unknownValue}, mtu: 1`,
      [
        `networks[1].vlan.id: ${written} (line 10, column 32)`,
        "networks[1].vlan.mtu: 1 is out of range; write a whole number from 576 to 65535 (line 10, column 75)",
      ],
    ],
  ];
  for (const [from, to, lines] of cases) test(from, () => assert.deepEqual(linesOf(changed(from, to)), lines));
});
