import assert from "node:assert/strict";
import { test } from "node:test";
import {
  diffPlan,
  nodeFacts as factsOf,
  type NodePlan,
  type Operation,
  operationsOf,
  operationText,
  planNode,
  renderOperation,
  stateOf,
  stateOfFacts,
} from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

type Json = Readonly<Record<string, unknown>>;

const nothing = document();
const both = document(vxlanNetwork(), vlanNetwork());
const inner = vlanNetwork({ id: 300 }, { cidr: "203.0.113.64/26", gateway: "203.0.113.65" });
const taker = vxlanNetwork({}, { cidr: "198.51.100.0/24", gateway: "198.51.100.1", replaces: "vlan220" });

const changes: Readonly<Record<string, readonly [Json, Json]>> = {
  "from nothing": [nothing, both],
  "to nothing": [both, nothing],
  "another VNI": [both, document(vxlanNetwork({ vni: 229 }), vlanNetwork())],
  "another UDP port": [both, document(vxlanNetwork({ port: 8472 }), vlanNetwork())],
  "another VLAN id": [both, document(vxlanNetwork(), vlanNetwork({ id: 221 }))],
  "another table": [both, document(vxlanNetwork({}, { table: 1228 }), vlanNetwork())],
  "tables that change places": [
    document(vxlanNetwork({}, { table: 1000 }), vlanNetwork({}, { table: 2000 })),
    document(vxlanNetwork({}, { table: 2000 }), vlanNetwork({}, { table: 1000 })),
  ],
  "another mask of marks, and another VLAN id": [
    both,
    { ...document(vxlanNetwork(), vlanNetwork({ id: 221 })), cni: "cilium" },
  ],
  "a prefix inside another one comes": [both, document(vxlanNetwork(), vlanNetwork(), inner)],
  "a prefix inside another one goes": [document(vxlanNetwork(), vlanNetwork(), inner), both],
  "one network replaces another": [document(vlanNetwork()), document(vlanNetwork(), taker)],
  "the replaced one goes": [
    document(vlanNetwork(), taker),
    document(vxlanNetwork({}, { cidr: "198.51.100.0/24", gateway: "198.51.100.1" })),
  ],
  "no marks any more": [both, document(vxlanNetwork({}, { returnPath: "source" }), vlanNetwork())],
  "marks from now on": [document(vxlanNetwork({}, { returnPath: "source" }), vlanNetwork()), both],
};

/** A packet with a mark that no rule takes, or whose rule finds no route and no guard, leaves by the main table (DESIGN, A3). */
for (const [name, [old, now]] of Object.entries(changes)) {
  test(`every mark that nft sets is taken by a rule with a guard at every moment: ${name}`, () => {
    const before = planOn(old);
    const state = stateOf(before, stateOfFacts(nodeFacts()));
    const after = planNode(configurationOf(now), factsOf(state, "n1", {}));
    const kernel = new Rules(before);
    const operations = operationsOf(diffPlan(state, after));
    assert.deepEqual(kernel.unguarded(), []);
    for (const operation of operations) {
      kernel.execute(operation);
      assert.deepEqual(kernel.unguarded(), [], `after ${operationText(operation)}`);
    }
    assert.ok(operations.length > 0);
  });
}

function planOn(document: Json): NodePlan {
  return planNode(configurationOf(document), nodeFacts());
}

/** What a kernel knows of marks: the rules by their commands, and the marks that the nft table sets. */
class Rules {
  private readonly rules = new Set<string>();
  private set: readonly string[] = [];

  constructor(carried: NodePlan) {
    for (const operation of operationsOf(diffPlan(stateOfFacts(nodeFacts()), carried))) this.execute(operation);
  }

  execute(operation: Operation): void {
    if (operation.kind === "filter") {
      this.set = [...renderOperation(operation).matchAll(/ or (0x[0-9a-f]+)$/gm)].map(([, mark = ""]) => mark);
      return;
    }
    const [, verb, rule] = /^ip -[46] rule (add|del) (.*)$/.exec(operationText(operation)) ?? [];
    if (rule === undefined) return;
    if (verb === "add") this.rules.add(rule);
    else assert.ok(this.rules.delete(rule), `${rule} is there to be deleted`);
  }

  unguarded(): readonly string[] {
    const has = (mark: string, action: string) =>
      [...this.rules].some((rule) => rule.includes(` fwmark ${mark}/`) && rule.includes(action));
    return this.set.filter((mark) => !has(mark, " lookup ") || !has(mark, " unreachable"));
  }
}
