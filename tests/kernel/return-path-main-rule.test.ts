import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PlanCondition } from "../../model/index.js";
import { answeredCalls, itAnswers, type Matrix, outcomeTable, type Row } from "./return-path-matrix.js";
import { type Outcomes, ReturnPathNode } from "./return-path-node.js";
import { proxyByNftables } from "./service-proxies.js";

const everything: Row = ["network", "network", "network", "inside", "inside", "inside"];
const wrongDoor: Row = ["wrong door", "wrong door", "wrong door", "inside", "inside", "inside"];
/**
 * Our exceptions look main up themselves: what is addressed to the node itself they still answer. Whether another node comes as
 * far differs from run to run (seen: answered, and no route to host).
 */
const insideAlone: Row = ["unrouted", "unrouted", "unrouted", "inside", "inside", "undetermined"];
const nothing: Row = ["unrouted", "unrouted", "unrouted", "unrouted", "unrouted", "unrouted"];

const matrixOf = (local: Row, translated = local): Matrix => [
  ["address on lo", ...local],
  ["nftables DNAT", ...translated],
];

const takenBefore = (rule: string): PlanCondition => ({
  reason: "ForeignRule",
  message:
    `another program's rule (protocol 0) at priority ${rule} takes packets from 203.0.113.0/24 before ours ` +
    "at 4016; remove it or move it behind 4257",
});

/** What wg-quick sets for a tunnel that shall take everything, with the wrong door as the tunnel; without a priority they come before ours. */
const toVpn = (selector: string): readonly string[] => [
  "route add default via 10.0.7.1 table 51820",
  `rule add ${selector} table 51820`,
  "rule add table main suppress_prefixlength 0",
];

interface Case {
  readonly title: string;
  /** Arguments of `ip -4`. */
  readonly commands: readonly string[];
  readonly matrix: Matrix;
  readonly conflicts: readonly PlanCondition[];
}

const cases: readonly Case[] = [
  {
    title: "is looked up elsewhere behind our rules",
    commands: ["rule add priority 20000 lookup main", "rule del priority 32766"],
    matrix: matrixOf(everything),
    conflicts: [],
  },
  {
    title: "is looked up before our rules without its default route, as VPNs do",
    commands: ["rule add priority 1000 lookup main suppress_prefixlength 0"],
    matrix: matrixOf(everything),
    conflicts: [],
  },
  {
    title: "is looked up before our rules",
    commands: ["rule add priority 1000 lookup main", "rule del priority 32766"],
    matrix: matrixOf(wrongDoor),
    conflicts: [takenBefore("1000 from all lookup 254")],
  },
  {
    title: "gives only its specific routes before a VPN takes all that is not marked, as wg-quick does",
    commands: toVpn("not fwmark 51820"),
    matrix: matrixOf(wrongDoor),
    conflicts: [takenBefore("2999 not from all fwmark 0xca6c lookup 51820")],
  },
  {
    title: "gives only its specific routes before a VPN takes all that the node itself sends",
    commands: toVpn("iif lo"),
    matrix: matrixOf(wrongDoor, everything),
    conflicts: [takenBefore("2999 from all iif lo lookup 51820")],
  },
  {
    title: "gives only its specific routes before a VPN takes what one user sends",
    commands: toVpn("uidrange 5-7"),
    matrix: matrixOf(everything),
    conflicts: [],
  },
  {
    title: "is jumped to past our rules",
    commands: ["rule add priority 1000 goto 32766"],
    matrix: matrixOf(wrongDoor),
    conflicts: [takenBefore("1000 from all goto 32766")],
  },
  {
    title: "is jumped to by a rule that has no target, which the kernel passes over",
    commands: ["rule add priority 1000 goto 32000"],
    matrix: matrixOf(everything),
    conflicts: [],
  },
  {
    title: "is looked up by no rule",
    commands: ["rule del priority 32766"],
    matrix: matrixOf(insideAlone, nothing),
    conflicts: [
      {
        reason: "MainTableNotLookedUp",
        message:
          "no IPv4 rule looks up the main table for all packets: requests find no way to pods and other nodes; " +
          "bring it back with: ip -4 rule add priority 32766 lookup main",
      },
    ],
  },
];

describe("return path where the main table", { concurrency: 3 }, () => {
  for (const { title, commands, matrix, conflicts } of cases) {
    describe(title, () => {
      let node: ReturnPathNode;
      let outcomes: Outcomes;

      before(async () => {
        node = await ReturnPathNode.start({});
        await proxyByNftables(node.net);
        await node.addAddress("address on lo", "lo");
        await node.net.ip("n1", ...commands);
        const proxies = matrix.map(([proxy]) => proxy);
        outcomes = await node.callAll(proxies, answeredCalls(matrix));
        console.log(`${title}\n${outcomeTable(outcomes)}`);
      });
      after(() => node?.end());

      itAnswers(matrix, () => outcomes);

      it(conflicts.length === 0 ? "nothing is told" : "is told", async () => {
        assert.deepEqual(await node.conflicts(), conflicts);
      });
    });
  }
});
