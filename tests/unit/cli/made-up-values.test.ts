import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assumedNodes } from "../../../model/change/assumed-nodes.js";
import { configurationOf, document, vlanNetwork, vxlanNetwork } from "../model/samples.js";
import { json } from "./reports.js";

type Json = Readonly<Record<string, unknown>>;

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] };

/** Configurations that are free of mistakes, one with another in any part that a node has a say in. */
const configurations: fc.Arbitrary<Json> = fc
  .record({
    nodeNet: fc.constantFrom("10.0.7.0/24", "10.0.0.0/16", "10.0.9.0/25"),
    nodeInterface: fc.constantFrom({}, { nodeInterface: "bond1" }, { nodeInterface: "eth0" }),
    control: fc.constantFrom(
      { bgp },
      { bgp: { ...bgp, routerId: "10.0.0.1" } },
      { bgp: { ...bgp, peers: ["10.0.7.19"] } },
      { bgp: undefined, remotes: ["10.0.7.12"] },
    ),
    mtu: fc.constantFrom({}, { mtu: 1400 }, { mtu: 65_535 }),
    selector: fc.constantFrom({}, { nodeSelector: { role: "edge" } }),
    returnPath: fc.constantFrom("auto", "source"),
    cni: fc.constantFrom({}, { cni: "cilium" }),
    has: fc.subarray(["vxlan228", "vxlan229", "vlan220"]),
  })
  .map(({ nodeNet, nodeInterface, control, mtu, selector, returnPath, cni, has }) => {
    const networks: Readonly<Record<string, Json>> = {
      vxlan228: vxlanNetwork({ nodeNet, ...nodeInterface, ...control, ...mtu }, { returnPath }),
      vxlan229: vxlanNetwork({ vni: 229, ...control }, { cidr: "93.184.216.0/24", gateway: "93.184.216.1" }, selector),
      vlan220: vlanNetwork(mtu, {}, selector),
    };
    return { ...document(...has.map((name) => networks[name])), ...cni };
  });

test("nothing that was made up for a change without node is shown", () => {
  fc.assert(
    fc.property(configurations, configurations, (from, now) => {
      const addresses = assumedNodes([configurationOf(from), configurationOf(now)]).flatMap((facts) =>
        facts.addresses.map(({ address }) => address),
      );
      const { changes, interruptions } = json(now, { from });
      const text = JSON.stringify([changes, interruptions]);
      const words = text.split(/[^\w.]+/);
      for (const address of addresses) assert.equal(words.includes(address), false, address);
      assert.doesNotMatch(text, /fwmark 0x/);
      assert.doesNotMatch(text, / or 0x/);
      assert.doesNotMatch(text.replaceAll("00:00:00:00:00:00", ""), /\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b/);
      for (const number of text.match(/(?<=mtu |from |to )\d+\b/g) ?? []) assert.ok(Number(number) <= 65_535, number);
    }),
    { numRuns: 300 },
  );
});
