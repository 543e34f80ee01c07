import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Mistake, parseConfiguration, parseConfigurationFile, renderMistake } from "../../../model/index.js";
import { seed } from "../../support/seed.js";
import { document, vlanNetwork, vxlanNetwork } from "./samples.js";

const secret = "hunter2";
const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };

/** The mistakes as machines and people get them: objects and lines. */
function shown(result: { readonly mistakes?: readonly Mistake[]; readonly warnings: readonly Mistake[] }): string {
  const found = [...(result.mistakes ?? []), ...result.warnings];
  assert.notEqual(found.length, 0);
  return JSON.stringify(found) + found.map(renderMistake).join("\n");
}

describe("a password in a configuration that is wrong is not shown", () => {
  const inside = { bgp: { ...bgp, password: secret } };
  const values: Readonly<Record<string, unknown>> = {
    "where it belongs": document(vxlanNetwork(inside)),
    "as a number of the wrong type": document(vxlanNetwork({ bgp: { ...bgp, password: { text: secret } } })),
    "under a misspelt key": document(vxlanNetwork({ bgp: { ...bgp, pasword: secret } })),
    "under a key of another system": document(vxlanNetwork({ bgp: { ...bgp, authPassword: secret } })),
    "where the path of its file stands": document(vxlanNetwork({ bgp: { ...bgp, passwordFile: secret } })),
    "in the wrong mapping": document(vxlanNetwork({ password: secret })),
    "inside a mapping under an unknown key": document(vxlanNetwork({ bgpp: inside.bgp })),
    "inside a mapping that does not belong to the type": document(vlanNetwork({}, {}, { vxlan: inside })),
    "inside a list where a mapping belongs": document(vxlanNetwork({ bgp: [inside.bgp] })),
    "inside a network where a list belongs": { podNetworks: [], networks: vxlanNetwork(inside) },
    "inside a network of an unknown type": document(vxlanNetwork(inside, {}, { type: "vxlna" })),
    "in one text with its key": document(vxlanNetwork({ bgp: `password=${secret}` })),
    "in one key": document(vxlanNetwork({ bgp: { ...bgp, [`password:${secret}`]: null } })),
    "in one key inside a mapping": document(vxlanNetwork({ bgpp: { [`password ${secret}`]: null } })),
  };
  for (const [name, value] of Object.entries(values)) {
    test(name, () => {
      assert.doesNotMatch(shown(parseConfiguration(value)), /hunter2/);
      assert.doesNotMatch(shown(parseConfigurationFile(JSON.stringify(value))), /hunter2/);
    });
  }
});

describe("a password that is wrong as YAML is not shown", () => {
  const withPassword = (text: string) => seed.replace("peerAsn: 65001", `peerAsn: 65001, password: ${text}`);
  const blockOf = (text: string) =>
    `podNetworks: []\nnetworks:\n  - type: vxlan\n    vxlan:\n      bgp:\n        password: ${text}\n`;
  for (const written of [
    `*${secret}`,
    `!${secret}`,
    `!${secret} x`,
    `!${secret}! x`,
    `!!${secret} x`,
    `@${secret}`,
    `\`${secret}`,
    `%${secret}`,
    `|${secret}`,
    `>${secret}`,
    `"${secret}`,
    `'${secret}`,
    `"\\${secret}"`,
    `"\\x${secret}"`,
    `"${secret}" ${secret}`,
    `"${secret}": x`,
    `{${secret}: 1, ${secret}: 2}`,
    `[${secret}`,
    `${secret}: ${secret}`,
    `${secret}]`,
    `&${secret}`,
    `- ${secret}`,
    `? ${secret}`,
  ]) {
    test(written, () => {
      for (const text of [withPassword(written), blockOf(written)]) {
        const result = parseConfigurationFile(text);
        assert.equal(result.ok, false);
        assert.doesNotMatch(shown(result), /hunter2/);
      }
    });
  }

  test("a number with a leading zero", () => {
    const result = parseConfigurationFile(withPassword("0451"));
    assert.deepEqual(!result.ok && result.mistakes.map(renderMistake), [
      "configuration: cannot be read in or behind a secret; write the secret in quotes, and correct the text (line 7, column 54)",
    ]);
  });

  test("the rest of a password that a comma ends", () => {
    const result = parseConfigurationFile(withPassword("one,two"));
    assert.deepEqual(!result.ok && result.mistakes.map(renderMistake), [
      "networks[0].vxlan.bgp.password: is not taken, because many may read a configuration, its plans and its logs; write it into a file on the nodes, and the path of the file as passwordFile (line 7, column 44)",
      "networks[0].vxlan.bgp: has a key without a value beside a secret; write the secret in quotes, or remove the key (line 7, column 58)",
    ]);
  });

  test("whatever characters it has", () => {
    const punctuation = fc.constantFrom(..."!&*|>%@`\"'#{}[],:?-\\ ");
    fc.assert(
      fc.property(fc.array(punctuation, { maxLength: 3 }), fc.array(punctuation, { maxLength: 3 }), (before, after) => {
        const written = `${before.join("")}${secret}${after.join("")}`;
        for (const text of [withPassword(written), blockOf(written)]) {
          const result = parseConfigurationFile(text);
          assert.equal(result.ok, false);
          assert.doesNotMatch(shown(result), /hunter2/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test("what is no secret is shown", () => {
  assert.match(shown(parseConfiguration(document(vxlanNetwork({ vni: 0 })))), /"value":0.*vxlan\.vni: 0 is/s);
  assert.match(shown(parseConfigurationFile(seed.replace("id: 220", "id: 0220"))), /configuration: 0220 is 220/);
});
