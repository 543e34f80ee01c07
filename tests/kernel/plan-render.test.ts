import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { diffPlan, type NodePlan, type Operation, operationsOf, operationText } from "../../model/index.js";
import { ourKernelState } from "./our-kernel-state.js";
import { PastedNode } from "./pasted-node.js";
import { type RenderCase, renderCases } from "./plan-render-cases.js";

const nothing: NodePlan = { networks: [], unplanned: [] };

describe("the commands of a plan, run by a shell on a node without anything of ours", () => {
  for (const renderCase of renderCases) {
    it(`make the kernel equal to it: ${renderCase.name}`, async () => {
      const node = await PastedNode.start();
      try {
        const plan = node.plan(renderCase);
        await node.paste(operationsOf(diffPlan(await node.observe(plan), plan)));
        await node.assertCarries(plan);
        assert.deepEqual(await node.chains(), renderCase.filter);
      } finally {
        await node.end();
      }
    });
  }
});

/** Place in the walk: a case, or the node without anything of ours. */
type Stop = RenderCase | undefined;

/**
 * Every step from one stop to another, in one walk that begins and ends at the first: from each stop to all but the next and
 * back, then on to the next; the steps back to the one before are the way home.
 */
function walkOverAllPairs(stops: readonly Stop[]): readonly Stop[] {
  return [
    ...stops.flatMap((stop, index) => [stop, ...stops.slice(index + 2).flatMap((other) => [other, stop])]),
    ...stops.slice(0, -1).toReversed(),
  ];
}

describe("the commands from one plan to another, worked out on a desk and run by a shell", () => {
  const stops: readonly Stop[] = [undefined, ...renderCases];
  const walk = walkOverAllPairs(stops);
  const name = (stop: Stop) => stop?.name ?? "nothing";
  /** What each plan makes of a node that had nothing of ours. */
  const fresh = new Map<Stop, unknown>();
  let node: PastedNode;
  const planOf = (stop: Stop) => (stop === undefined ? nothing : node.plan(stop));

  before(async () => {
    node = await PastedNode.start();
    for (const stop of stops) {
      const plan = planOf(stop);
      await node.paste(operationsOf(diffPlan(node.stateOnDesk(nothing), plan)));
      fresh.set(stop, await ourKernelState(node.namespaces, "n1", plan));
      await node.paste(operationsOf(diffPlan(node.stateOnDesk(plan), nothing)));
    }
  });
  after(() => node?.end());

  it("are a walk over every pair", () => {
    const steps = walk.slice(1).map((stop, index) => `${name(walk[index])} > ${name(stop)}`);
    assert.deepEqual([steps.length, new Set(steps).size], [72, 72]);
  });

  for (const [index, stop] of walk.slice(1).entries()) {
    const earlier = walk[index];
    it(`${name(earlier)} > ${name(stop)}`, async () => {
      const plan = planOf(stop);
      const onDesk = operationsOf(diffPlan(node.stateOnDesk(planOf(earlier)), plan));
      const onNode = operationsOf(diffPlan(await node.observe(plan), plan));
      await node.paste(onDesk);
      await node.assertCarries(plan);
      assert.deepEqual(await ourKernelState(node.namespaces, "n1", plan), fresh.get(stop));
      assert.deepEqual(comparableTexts(onDesk), comparableTexts(onNode));
    });
  }
});

/**
 * Of a desk and of a kernel, in whatever order each lists its objects. Not the loading of the nft table, which a node without
 * the agent's seal always does, nor sysctls: the kernel may have had the value from a plan before the last.
 */
function comparableTexts(operations: readonly Operation[]): readonly string[] {
  return operations
    .filter(
      (operation) => operation.kind !== "sysctl" && (operation.kind !== "filter" || operation.ruleset === undefined),
    )
    .map(operationText)
    .sort();
}
