import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { decodeUpdate } from "../../agent-image/agent/bgp/codec/update.js";
import { AdjRibIn, type RouteChange } from "../../agent-image/agent/bgp/rib/adj-rib-in.js";
import { NetworkRib } from "../../agent-image/agent/evpn/network-rib.js";
import { ForwardingMemory } from "../../agent-image/agent/kernel/forwarding-memory.js";
import { decoderProperties } from "../unit/bgp/decoder-properties.js";

/** For all properties together more than a million. */
const messagesPerProperty = 120_000;

describe("a million messages from a peer that means ill", () => {
  for (const { name, check } of decoderProperties) {
    it(name, () => check(messagesPerProperty));
  }
});

/** A Type-2 of FRR 8.4.4 (AS 65001, VNI 228) for the MAC 02:00:00:00:00:aa, with MAC mobility sequence 0 at the end. */
const moved = Buffer.from(
  `0000005a900e002c0019460400000000000221${"00010a0000090002"}${"00".repeat(14)}300200000000aa000000e4` +
    "40010100500200004005040000006" +
    "4c01018030c0000000000080002fde9000000e40600000000000000",
  "hex",
);

/** What the node's forwarding has of it: the network's RIB, and what the kernel's writer remembers. */
function forwarding() {
  const rib = new NetworkRib({ vni: 228, vtep: "10.0.7.11", mac: "02:00:00:00:00:11" });
  const memory = new ForwardingMemory();
  memory.want("vxlan228", rib.takeWhole());
  memory.wrote("vxlan228", true);
  return {
    /** Returns the VTEP that is written into the kernel's table. */
    follow(changes: readonly RouteChange[]): string | undefined {
      for (const { before, after } of changes) {
        if (before !== undefined) rib.remove(before);
        if (after !== undefined) rib.add(after);
      }
      memory.change("vxlan228", rib.takeChanges());
      return memory.takeUnwritten("vxlan228")?.hosts[0]?.wanted;
    },
  };
}

describe("a MAC that moves a million times", () => {
  it("leaves memory flat (lance0/rustbgpd#591 grew with each new sequence number)", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const routes = new AdjRibIn({ localAsn: 65001, internal: true, routerId: "10.0.7.11" });
    const { follow } = forwarding();
    const move = (sequence: number): void => {
      const body = Buffer.from(moved);
      const lastByte = (sequence % 250) + 1;
      // The VTEP changes with each move: the next hop stands after two lengths, the attribute's header and its family.
      body.writeUInt32BE(0x0a000800 + lastByte, 12);
      body.writeUInt32BE(sequence, body.length - 4);
      const written = follow(routes.apply(decodeUpdate(body, { fourOctetAs: true, internal: true })));
      if (written !== `10.0.8.${lastByte}`) assert.fail(`move ${sequence} wrote ${written}`);
    };
    const heap = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    for (let sequence = 0; sequence < 10_000; sequence += 1) move(sequence);
    const before = heap();
    for (let sequence = 10_000; sequence < 1_010_000; sequence += 1) move(sequence);
    const grown = heap() - before;
    assert.equal(routes.size, 1);
    assert.equal(routes.importedBy(["65001:228"])[0]?.traits.sequence, 1_009_999);
    assert.ok(grown < 1_000_000, `${grown} bytes more than before`);
  });
});
