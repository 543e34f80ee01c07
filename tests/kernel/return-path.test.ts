import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, clients, type Outcome, ReturnPathNode, type ReversePathSetting } from "./return-path-node.js";
import { proxyBackend, proxyByIptables, proxyByNftables, type ServiceProxy } from "./service-proxies.js";

/**
 * `network`: answered, and each reply packet left by our interface. `inside`: answered, and none left by it, for the caller is
 * in the cluster. The others are calls that cannot work, each with the reason.
 */
type Expected =
  | "network"
  | "inside"
  /** The request of a node comes by the gateway and its reply would go to it directly: rp_filter of `all` drops the request. */
  | "two ways"
  /** Without marks the way back of a translated request is looked for by the backend's address: dropped like the above. */
  | "unmarked"
  /** Without marks the reply is routed before it has its public source back: it leaves by the default gateway. */
  | "wrong door";

/** One column for each client, in the order of {@link clients}. */
type Row = readonly [Expected, Expected, Expected, Expected, Expected, Expected];
type Matrix = readonly (readonly [ServiceProxy, ...Row])[];

const everything: Row = ["network", "network", "network", "inside", "inside", "inside"];
const butNodes: Row = ["network", "network", "network", "inside", "inside", "two ways"];
const unmarked: Row = ["unmarked", "unmarked", "unmarked", "inside", "inside", "two ways"];
const wrongDoor: Row = ["wrong door", "wrong door", "wrong door", "inside", "inside", "inside"];

const allWork: Matrix = [
  ["address on lo", ...everything],
  ["address on our interface", ...everything],
  ["iptables DNAT", ...everything],
  ["iptables DNAT, masquerade", ...everything],
  ["nftables DNAT", ...everything],
  ["nftables DNAT, masquerade", ...everything],
  ["nftables DNAT, masquerade, pod on another node", ...everything],
  ["nftables DNAT, host network", ...everything],
];

const strict: Matrix = [
  ["address on lo", ...butNodes],
  ["address on our interface", ...butNodes],
  ["iptables DNAT", ...butNodes],
  ["iptables DNAT, masquerade", ...butNodes],
  ["nftables DNAT", ...butNodes],
  ["nftables DNAT, masquerade", ...butNodes],
  ["nftables DNAT, masquerade, pod on another node", ...butNodes],
  ["nftables DNAT, host network", ...butNodes],
];

const loose: Matrix = [
  ["address on lo", ...butNodes],
  // With an address on the interface the loose check asks only for some way back.
  ["address on our interface", ...everything],
  ["iptables DNAT", ...butNodes],
  ["iptables DNAT, masquerade", ...butNodes],
  ["nftables DNAT", ...butNodes],
  ["nftables DNAT, masquerade", ...butNodes],
  ["nftables DNAT, masquerade, pod on another node", ...butNodes],
  ["nftables DNAT, host network", ...butNodes],
];

const sourceRulesAlone: Matrix = [
  ["address on lo", ...everything],
  ["address on our interface", ...everything],
  ["iptables DNAT", ...wrongDoor],
  ["iptables DNAT, masquerade", ...wrongDoor],
  ["nftables DNAT", ...wrongDoor],
  ["nftables DNAT, masquerade", ...wrongDoor],
  ["nftables DNAT, masquerade, pod on another node", ...wrongDoor],
  ["nftables DNAT, host network", ...wrongDoor],
];

const strictSourceRulesAlone: Matrix = [
  ["address on lo", ...butNodes],
  ["address on our interface", ...butNodes],
  ["iptables DNAT", ...unmarked],
  ["iptables DNAT, masquerade", ...unmarked],
  ["nftables DNAT", ...unmarked],
  ["nftables DNAT, masquerade", ...unmarked],
  ["nftables DNAT, masquerade, pod on another node", ...unmarked],
  ["nftables DNAT, host network", ...unmarked],
];

const dropsOfNodes = (value: 1 | 2) =>
  `net.ipv4.conf.all.rp_filter is ${value} and overrides that of vxlan228, where it drops packets from ` +
  "10.0.7.0/24, 10.96.0.0/16, 10.244.0.0/16; run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d";

interface Setting extends ReversePathSetting {
  readonly title: string;
  readonly returnPath: "auto" | "source";
  readonly matrix: Matrix;
  /** What the plan says of calls that cannot work. */
  readonly condition?: string;
}

const settings: readonly Setting[] = [
  { title: "no rp_filter", all: 0, interfaces: 0, returnPath: "auto", matrix: allWork },
  { title: "strict rp_filter of the interfaces", all: 0, interfaces: 1, returnPath: "auto", matrix: allWork },
  { title: "loose rp_filter of the interfaces", all: 0, interfaces: 2, returnPath: "auto", matrix: allWork },
  {
    title: "strict rp_filter of all",
    all: 1,
    interfaces: 0,
    returnPath: "auto",
    matrix: strict,
    condition: dropsOfNodes(1),
  },
  {
    title: "loose rp_filter of all",
    all: 2,
    interfaces: 0,
    returnPath: "auto",
    matrix: loose,
    condition: dropsOfNodes(2),
  },
  // What made marks necessary; it also shows that the tests above could fail.
  { title: "source rules alone", all: 0, interfaces: 0, returnPath: "source", matrix: sourceRulesAlone },
  {
    title: "source rules alone, strict rp_filter of all",
    all: 1,
    interfaces: 0,
    returnPath: "source",
    matrix: strictSourceRulesAlone,
    condition:
      "net.ipv4.conf.all.rp_filter is 1 and overrides that of vxlan228, where it drops packets from " +
      "10.0.7.0/24, 10.96.0.0/16, 10.244.0.0/16 and packets for 203.0.113.0/24 that are translated (DNAT); " +
      "run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d",
  },
];

/** A call is SYN-ACK, data and FIN at the least, and the kernel joins segments of one connection. */
const FEWEST_REPLIES = 4;

const local: ServiceProxy = "address on our interface";

// Settings wait most of their time for calls that cannot work; more at once would only compete for the processors.
describe("return path", { concurrency: 3 }, () => {
  for (const { title, returnPath, matrix, condition, ...reversePath } of settings) {
    describe(title, () => {
      let node: ReturnPathNode;
      let outcomes: ReadonlyMap<ServiceProxy, ReadonlyMap<Client, Outcome>>;

      before(async () => {
        node = await ReturnPathNode.start(reversePath, returnPath);
        await proxyByIptables(node.net);
        await proxyByNftables(node.net);
        await node.addAddress("address on lo", "lo");
        const addressless = await node.callAll(matrix.map(([proxy]) => proxy).filter((proxy) => proxy !== local));
        // Last, for an address on our interface changes what the loose check asks for.
        await node.addAddress(local, "vxlan228");
        outcomes = new Map([...addressless, ...(await node.callAll([local]))]);
        console.log(`${title}\n${table(outcomes)}`);
      });
      after(() => node?.end());

      for (const [proxy, ...row] of matrix) {
        for (const [column, client] of clients.entries()) {
          const expected = row[column];
          it(`${proxy} from ${client}: ${expected}`, () => {
            const outcome = outcomes.get(proxy)?.get(client);
            assert.ok(outcome);
            const { answer, byNetwork, byDefaultGateway } = outcome;
            const works = expected === "network" || expected === "inside";
            assert.equal(answer, works ? proxyBackend[proxy] : undefined);
            if (expected === "network") assert.ok(byNetwork >= FEWEST_REPLIES, `${byNetwork} by our interface`);
            else assert.equal(byNetwork, 0);
            if (expected === "wrong door") assert.ok(byDefaultGateway > 0);
            else assert.equal(byDefaultGateway, 0);
          });
        }
      }

      it("each call that the reverse path check stops is counted there, and the plan tells of them", async () => {
        const stopped = matrix
          .flatMap(([, ...row]) => row)
          .filter((cell) => cell === "two ways" || cell === "unmarked");
        const drops = await node.reversePathDrops();
        if (stopped.length === 0) assert.equal(drops, 0);
        else assert.ok(drops >= stopped.length, `${drops} drops, ${stopped.length} calls`);
        assert.deepEqual(
          node.plan.networks[0]?.conditions,
          condition === undefined ? undefined : [{ reason: "ReversePathFilter", message: condition }],
        );
      });
    });
  }
});

/** Answers and reply packets (by our interface / at the default gateway), for the record of a run. */
function table(outcomes: ReadonlyMap<ServiceProxy, ReadonlyMap<Client, Outcome>>): string {
  const line = (head: string, cells: readonly string[]) =>
    head.padEnd(48) + cells.map((cell) => cell.padEnd(22)).join("");
  const cell = ({ answer, byNetwork, byDefaultGateway }: Outcome) =>
    `${answer ?? "no answer"} ${byNetwork}/${byDefaultGateway}`;
  return [line("", clients), ...[...outcomes].map(([proxy, row]) => line(proxy, [...row.values()].map(cell)))].join(
    "\n",
  );
}
