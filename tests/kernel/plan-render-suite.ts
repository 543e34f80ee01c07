import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { diffPlan, type NodePlan, type Operation, operationsOf, operationText } from "../../model/index.js";
import { type OurKernelState, ourKernelState } from "./our-kernel-state.js";
import { PastedNode } from "./pasted-node.js";
import type { RenderCase } from "./plan-render-case.js";

/** A case, or the node without anything of ours. */
export type Stop = RenderCase | undefined;

const nothing: NodePlan = { networks: [], unplanned: [] };

/**
 * Every step from one stop to another, in one walk that begins and ends at the first: from each stop to all but the next and
 * back, then on to the next; the steps back to the one before are the way home.
 */
export function walkOverAllPairs(stops: readonly Stop[]): readonly Stop[] {
  return [
    ...stops.flatMap((stop, index) => [stop, ...stops.slice(index + 2).flatMap((other) => [other, stop])]),
    ...stops.slice(0, -1).toReversed(),
  ];
}

/**
 * Carries out every stop of a walk on a node that has nothing of ours, and then every step of it, and reads the kernel back
 * each time.
 *
 * @param walk begins without anything of ours
 * @param underlay lines of `ip -batch` for what the cases need beside eth0
 */
export function describePlanRender(walk: readonly Stop[], underlay: readonly string[] = []): void {
  describe("rendered commands, run by a shell", () => {
    const name = (stop: Stop) => stop?.name ?? "nothing";
    /** What the kernel holds where a plan was carried out on a node without anything of ours. */
    const fresh = new Map<Stop, OurKernelState>();
    let node: PastedNode;
    const planOf = (stop: Stop) => (stop === undefined ? nothing : node.plan(stop));
    const kernelState = (plan: NodePlan) => ourKernelState(node.namespaces, "n1", plan);

    before(async () => {
      node = await PastedNode.start(underlay);
      fresh.set(undefined, await kernelState(nothing));
    });
    after(() => node?.end());

    for (const stop of new Set(walk)) {
      if (stop === undefined) continue;
      it(`of a plan make the kernel equal to it: ${stop.name}`, async () => {
        const plan = planOf(stop);
        await node.paste(operationsOf(diffPlan(await node.observe(plan), plan)));
        await node.assertCarries(plan);
        assert.deepEqual(await node.chains(), stop.filter);
        for (const [command, listing] of Object.entries(stop.listings ?? {})) {
          assert.equal((await node.namespaces.exec("n1", command.split(" "))).stdout, listing, command);
        }
        fresh.set(stop, await kernelState(plan));
        await node.removeEverything();
        assert.deepEqual(await kernelState(nothing), fresh.get(undefined));
      });
    }

    for (const [index, stop] of walk.slice(1).entries()) {
      const earlier = walk[index];
      it(`from one plan to another, worked out on a desk: ${name(earlier)} > ${name(stop)}`, async () => {
        const plan = planOf(stop);
        const onDesk = operationsOf(diffPlan(node.stateOnDesk(planOf(earlier)), plan));
        const onNode = operationsOf(diffPlan(await node.observe(plan), plan));
        await node.paste(onDesk);
        await node.assertCarries(plan);
        assert.deepEqual(await kernelState(plan), fresh.get(stop));
        assert.deepEqual(comparableTexts(onDesk), comparableTexts(onNode));
      });
    }
  });
}

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
