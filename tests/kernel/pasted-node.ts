import assert from "node:assert/strict";
import {
  cleanUpPlan,
  diffPlan,
  type NodeFacts,
  type NodePlan,
  nftRuleset,
  nodeFacts,
  type ObservedState,
  type Operation,
  operationsOf,
  planNode,
  renderOperation,
  sealOf,
  stateOf,
  stateOfFacts,
} from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration, startNode } from "./base-node.js";
import type { RenderCase } from "./plan-render-case.js";
import { RemoteReconciler } from "./remote-reconciler.js";

/** A node whose kernel is changed by a plain shell alone; the agent only reads it. */
export class PastedNode {
  private constructor(
    readonly namespaces: TestNamespaces,
    private readonly agent: RemoteReconciler,
    /** Of the node without anything of ours. */
    readonly facts: NodeFacts,
  ) {}

  /** @param underlay lines of `ip -batch` for more than eth0, which has 10.0.7.5/24 and 2001:db8:7::5/64 */
  static async start(underlay: readonly string[] = []): Promise<PastedNode> {
    const namespaces = await startNode();
    await namespaces.ip("n1", "address add 2001:db8:7::5/64 dev eth0 nodad", ...underlay);
    const agent = RemoteReconciler.start(namespaces, "n1");
    return new PastedNode(namespaces, agent, nodeFacts(await agent.observe(), "n1", {}));
  }

  plan({ yaml, rpFilterAll = 0 }: Pick<RenderCase, "yaml" | "rpFilterAll">): NodePlan {
    const plan = planNode(configuration(yaml), { ...this.facts, rpFilterAll });
    const reasons = plan.networks.flatMap(({ conditions = [] }) => conditions.map(({ reason }) => reason));
    const expected = rpFilterAll === 0 ? [] : plan.networks.map(() => "ReversePathFilter");
    assert.deepEqual([plan.unplanned, reasons], [[], expected]);
    return plan;
  }

  /** The kernel's state as a desk knows it, where nothing but the plan and the node's facts are at hand. */
  stateOnDesk(plan: NodePlan): ObservedState {
    return stateOf(plan, stateOfFacts(this.facts));
  }

  async paste(operations: readonly Operation[]): Promise<void> {
    await this.run(operations.map(renderOperation).join("\n"));
  }

  /** A script that ends at the first command that fails. */
  async run(script: string): Promise<void> {
    await this.namespaces.exec("n1", ["sh", "-e", "-c", script]);
  }

  observe(plan: NodePlan): Promise<ObservedState> {
    return this.agent.observe(plan);
  }

  /** Asserts that the agent would find nothing to do, but for its seal on the nft table, which only it can put there. */
  async assertCarries(plan: NodePlan): Promise<void> {
    const { filter, ...observed } = await this.observe(plan);
    const ruleset = nftRuleset(plan.networks.map((network) => network.filter));
    const sealed = filter && { filter: { listing: filter.listing, seal: sealOf(ruleset, filter.listing) } };
    assert.deepEqual(operationsOf(diffPlan({ ...observed, ...sealed }, plan)), []);
  }

  /** The rules of our nft table by chain; none where there is no table. */
  async chains(): Promise<Readonly<Record<string, readonly string[]>>> {
    const { stdout } = await this.namespaces.exec("n1", ["nft", "list", "ruleset"]);
    const [, ...chains] = stdout.split("\tchain ");
    return Object.fromEntries(
      chains.map((text) => {
        const [head = "", _hook, ...rules] = text.split("\n").filter((line) => /^[\w\t]/.test(line));
        return [head.replace(" {", ""), rules.filter((line) => line !== "\t}").map((line) => line.trim())];
      }),
    );
  }

  async removeEverything(): Promise<void> {
    await this.paste(cleanUpPlan(await this.agent.observe()).operations);
  }

  async end(): Promise<void> {
    await this.agent.end();
    await this.namespaces.end();
  }
}
