import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Family } from "../../model/index.js";
import { answeredCalls, itAnswers, type Matrix, outcomeTable, type Row, stoppedCalls } from "./return-path-matrix.js";
import { type NodeSetting, type Outcomes, ReturnPathNode } from "./return-path-node.js";
import { proxyByIptables, proxyByNftables, type ServiceProxy } from "./service-proxies.js";

const everything: Row = ["network", "network", "network", "inside", "inside", "inside"];
const butNodes: Row = ["network", "network", "network", "inside", "inside", "two ways"];
const unmarked: Row = ["unmarked", "unmarked", "unmarked", "inside", "inside", "two ways"];
const wrongDoor: Row = ["wrong door", "wrong door", "wrong door", "inside", "inside", "inside"];

/** With an address on the interface the loose check asks only for some way back. */
const local: ServiceProxy = "address on our interface";

const addresses: readonly ServiceProxy[] = ["address on lo", local];
const translated: readonly ServiceProxy[] = [
  "iptables DNAT",
  "iptables DNAT, masquerade",
  "nftables DNAT",
  "nftables DNAT, masquerade",
  "nftables DNAT, masquerade, pod on another node",
  "nftables DNAT, host network",
  "nftables DNAT, masquerade, host network of another node",
];

function matrixOf(rowOf: (proxy: ServiceProxy) => Row): Matrix {
  return [...addresses, ...translated].map((proxy) => [proxy, ...rowOf(proxy)]);
}

const allWork = matrixOf(() => everything);
const strict = matrixOf(() => butNodes);
const loose = matrixOf((proxy) => (proxy === local ? everything : butNodes));
const sourceRulesAlone = matrixOf((proxy) => (translated.includes(proxy) ? wrongDoor : everything));
const strictSourceRulesAlone = matrixOf((proxy) => (translated.includes(proxy) ? unmarked : butNodes));

const dropsOfNodes = (value: 1 | 2) =>
  `net.ipv4.conf.all.rp_filter is ${value} and overrides that of vxlan228, where it drops packets from ` +
  "10.0.7.0/24, 10.96.0.0/16, 10.244.0.0/16; run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d";

interface Setting extends NodeSetting {
  readonly title: string;
  readonly family: Family;
  readonly matrix: Matrix;
  /** What the plan says of calls that cannot work. */
  readonly condition?: string;
}

const settings: readonly Setting[] = [
  { title: "no rp_filter", family: 4, matrix: allWork },
  { title: "strict rp_filter of the interfaces", family: 4, interfaces: 1, matrix: allWork },
  { title: "loose rp_filter of the interfaces", family: 4, interfaces: 2, matrix: allWork },
  { title: "strict rp_filter of all", family: 4, all: 1, matrix: strict, condition: dropsOfNodes(1) },
  { title: "loose rp_filter of all", family: 4, all: 2, matrix: loose, condition: dropsOfNodes(2) },
  // What made marks necessary; it also shows that the tests above could fail.
  { title: "source rules alone", family: 4, returnPath: "source", matrix: sourceRulesAlone },
  {
    title: "source rules alone, strict rp_filter of all",
    family: 4,
    all: 1,
    returnPath: "source",
    matrix: strictSourceRulesAlone,
    condition:
      "net.ipv4.conf.all.rp_filter is 1 and overrides that of vxlan228, where it drops packets from " +
      "10.0.7.0/24, 10.96.0.0/16, 10.244.0.0/16 and packets for 203.0.113.0/24 that are translated (DNAT); " +
      "run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d",
  },
  { title: "IPv6", family: 6, matrix: allWork },
  // There is no such check in IPv6.
  { title: "IPv6, strict rp_filter of all", family: 6, all: 1, interfaces: 1, matrix: allWork },
  { title: "IPv6, source rules alone", family: 6, returnPath: "source", matrix: sourceRulesAlone },
];

// Settings wait most of their time for calls that cannot work; more at once would only compete for the processors.
describe("return path", { concurrency: 3 }, () => {
  for (const { title, family, matrix, condition, ...setting } of settings) {
    describe(`A1, A2: ${title}`, () => {
      let node: ReturnPathNode;
      let outcomes: Outcomes;

      before(async () => {
        node = await ReturnPathNode.start(setting, { family });
        await proxyByIptables(node.net, family);
        await proxyByNftables(node.net, family);
        await node.addAddress("address on lo", "lo");
        const proxies = matrix.map(([proxy]) => proxy).filter((proxy) => proxy !== local);
        const addressless = await node.callAll(proxies, answeredCalls(matrix));
        // Last, for an address on our interface changes what the loose check asks for.
        await node.addAddress(local, "vxlan228");
        outcomes = new Map([...addressless, ...(await node.callAll([local], answeredCalls(matrix)))]);
        console.log(`${title}\n${outcomeTable(outcomes)}`);
      });
      after(() => node?.end());

      itAnswers(matrix, () => outcomes);

      it("each call that the reverse path check stops is counted there, and the plan tells of them", async () => {
        const stopped = stoppedCalls(matrix);
        const drops = await node.reversePathDrops();
        if (stopped === 0) assert.equal(drops, 0);
        else assert.ok(drops >= stopped, `${drops} drops, ${stopped} calls`);
        assert.deepEqual(
          node.plan.networks[0]?.conditions,
          condition === undefined ? undefined : [{ reason: "ReversePathFilter", message: condition }],
        );
      });
    });
  }
});
