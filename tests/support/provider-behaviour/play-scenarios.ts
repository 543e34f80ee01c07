import assert from "node:assert/strict";
import { test } from "node:test";
import type { BehaviourStack, Driver, Outcome } from "./driver.js";
import type { BehaviourScenario, Expectation, Program, Step } from "./scenario.js";
import { ScriptedCluster } from "./scripted-cluster.js";

/** Makes one test of each scenario, played by this driver. */
export function playScenarios(driver: Driver, scenarios: readonly BehaviourScenario[]): void {
  for (const { name, steps } of scenarios) {
    test(`${driver.name}: ${name}`, async (context) => {
      const cluster = await ScriptedCluster.start(context);
      const stack = await driver.stack(context, cluster.server.kubeconfig);
      let program: Program | undefined;
      for (const [index, step] of steps.entries()) {
        if (step.meanwhile !== undefined) cluster.apply(step.meanwhile);
        if (step.program !== undefined) program = step.program === "none" ? undefined : step.program;
        const outcome = await run(stack, step, program);
        verify(`step ${index + 1}, ${step.run}`, step.expect, outcome, cluster.networks());
      }
    });
  }
}

function run(stack: BehaviourStack, step: Step, program: Program | undefined): Promise<Outcome> {
  switch (step.run) {
    case "preview":
      return stack.preview(program);
    case "up":
      return stack.up(program);
    case "refresh":
      return stack.refresh();
    case "destroy":
      return stack.destroy();
  }
}

function verify(
  step: string,
  expected: Expectation,
  outcome: Outcome,
  networks: Readonly<Record<string, object>>,
): void {
  const { does, refuses, says } = outcome;
  const told = `${step}: ${JSON.stringify({ does, refuses, says }, undefined, 2)}`;
  if (expected.refuses === undefined) assert.equal(refuses, "", told);
  for (const part of expected.refuses ?? []) assert.ok(withoutBreaks(refuses).includes(part), `${part}\n${told}`);
  for (const line of expected.says ?? []) assert.ok(withoutBreaks(says).includes(line), `${line}\n${told}`);
  if (expected.does !== undefined) assert.equal(does, expected.does, told);
  for (const [property, value] of Object.entries(expected.shows ?? {})) {
    assert.deepEqual(outcome.shows[property], value, `${property}\n${told}`);
  }
  assert.deepEqual(Object.keys(networks), Object.keys(expected.cluster), told);
  assert.partialDeepStrictEqual(networks, expected.cluster, told);
}

/** The engine indents and breaks what it is told; the words are the same. */
function withoutBreaks(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
