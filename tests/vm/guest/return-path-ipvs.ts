import assert from "node:assert/strict";
import { release } from "node:os";
import { after, before, describe, it } from "node:test";
import type { PlanCondition } from "../../../model/index.js";
import { answeredCalls, itAnswers, type Matrix, outcomeTable, type Row } from "../../kernel/return-path-matrix.js";
import { type NodeSetting, type Outcomes, ReturnPathNode } from "../../kernel/return-path-node.js";
import { proxyByIpvs } from "../../kernel/service-proxies.js";

console.log(`kernel ${release()}`);

const everything: Row = ["network", "network", "network", "inside", "inside", "inside"];
const butNodes: Row = ["network", "network", "network", "inside", "inside", "two ways"];
const wrongDoor: Row = ["wrong door", "wrong door", "wrong door", "inside", "inside", "inside"];
/** Pods and the node itself are answered by way of this node in any case. */
const past: Row = ["past the node", "past the node", "past the node", "inside", "inside", "past the node"];

const matrixOf = (local: Row, remote = local): Matrix => [
  ["IPVS", ...local],
  ["IPVS, masquerade", ...local],
  ["IPVS, masquerade, pod on another node", ...remote],
];

const ipvs = (conntrack: 0 | 1, snatReroute: 0 | 1): readonly string[] => [
  `net.ipv4.vs.conntrack=${conntrack}`,
  `net.ipv4.vs.snat_reroute=${snatReroute}`,
];

const notRerouted: PlanCondition = {
  reason: "IpvsRepliesNotRerouted",
  message:
    "net.ipv4.vs.snat_reroute is 0: replies of IPVS services at 203.0.113.0/24 leave by the node's default route; run " +
    "sysctl -w net.ipv4.vs.snat_reroute=1 and set it in /etc/sysctl.d",
};
const notMasqueraded: PlanCondition = {
  reason: "IpvsNotMasqueraded",
  message:
    "net.ipv4.vs.conntrack is 0: nothing that IPVS translates is masqueraded, and pods of other nodes answer clients past " +
    "this node; run sysctl -w net.ipv4.vs.conntrack=1, which the service proxy sets when it starts",
};
const dropsOfNodes: PlanCondition = {
  reason: "ReversePathFilter",
  message:
    "net.ipv4.conf.all.rp_filter is 1 and overrides that of vxlan228, where it drops packets from " +
    "10.0.7.0/24, 10.96.0.0/16, 10.244.0.0/16; run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d",
};

interface Setting extends NodeSetting {
  readonly title: string;
  readonly matrix: Matrix;
  readonly conditions?: readonly PlanCondition[];
}

const settings: readonly Setting[] = [
  { title: "as kube-proxy sets it up", sysctls: ipvs(1, 1), matrix: matrixOf(everything) },
  {
    title: "strict rp_filter of all",
    all: 1,
    sysctls: ipvs(1, 1),
    matrix: matrixOf(butNodes),
    conditions: [dropsOfNodes],
  },
  { title: "by marks, without rerouting", sysctls: ipvs(1, 0), matrix: matrixOf(everything) },
  { title: "source rules alone", returnPath: "source", sysctls: ipvs(1, 1), matrix: matrixOf(everything) },
  {
    title: "source rules alone, without rerouting",
    returnPath: "source",
    sysctls: ipvs(1, 0),
    matrix: matrixOf(wrongDoor),
    conditions: [notRerouted],
  },
  {
    title: "without connection tracking",
    sysctls: ipvs(0, 1),
    matrix: matrixOf(everything, past),
    conditions: [notMasqueraded],
  },
  {
    title: "without connection tracking and rerouting",
    sysctls: ipvs(0, 0),
    matrix: matrixOf(wrongDoor, past),
    conditions: [notRerouted, notMasqueraded],
  },
];

// One node for all, whose sysctls change: making one takes most of a minute on an emulated processor.
describe("return path of IPVS", () => {
  let node: ReturnPathNode;

  before(async () => {
    node = await ReturnPathNode.start({});
    await proxyByIpvs(node.net);
  });
  after(() => node?.end());

  for (const { title, matrix, conditions, ...setting } of settings) {
    describe(title, () => {
      let outcomes: Outcomes;

      before(async () => {
        await node.change(setting);
        const proxies = matrix.map(([proxy]) => proxy);
        outcomes = await node.callAll(proxies, answeredCalls(matrix));
        console.log(`${title}\n${outcomeTable(outcomes)}`);
      });

      itAnswers(matrix, () => outcomes);

      it(conditions === undefined ? "nothing is told" : "is told", () => {
        assert.deepEqual(node.plan.networks[0]?.conditions, conditions);
      });
    });
  }
});
