import assert from "node:assert/strict";
import { test } from "node:test";
import { keepNeighbours, leaveNeighbours } from "../../../../agent-image/agent/kernel/neighbours.js";

const mac = "02:00:00:00:02:fe";
const wanted = [{ device: "vxlan228", address: "203.0.113.1", mac }];

/** What `ip -json -batch` of iproute2 6.1 printed for `neigh show to 203.0.113.1 dev e0`, in each state. */
const listed = {
  none: "[]",
  reachable: `[{"dst":"203.0.113.1","lladdr":"${mac}","state":["REACHABLE"]}]`,
  stale: `[{"dst":"203.0.113.1","lladdr":"${mac}","state":["STALE"]}]`,
  failed: `[{"dst":"203.0.113.1","state":["FAILED"]}]`,
  moved: `[{"dst":"203.0.113.1","lladdr":"02:00:00:00:00:01","state":["REACHABLE"]}]`,
  fixed: `[{"dst":"203.0.113.1","lladdr":"02:00:00:00:00:01","state":["PERMANENT"]}]`,
  otherProgram: `[{"dst":"203.0.113.1","lladdr":"02:00:00:00:00:01","extern_learn":null,"state":["NOARP"]}]`,
};

async function written(
  work: typeof keepNeighbours | typeof leaveNeighbours,
  held: string,
  entries = wanted,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const run = async (argv: readonly string[], input = ""): Promise<string> => {
    if (argv.includes("-json")) return `${held}\n`;
    lines.push(...input.trimEnd().split("\n"));
    return "";
  };
  await work({ run }, entries);
  return lines;
}

test("an entry is made where none is, and made reachable where the kernel doubts it or has another MAC", async () => {
  const replace = [`neigh replace 203.0.113.1 lladdr ${mac} dev vxlan228 nud reachable`];
  for (const held of [listed.none, listed.stale, listed.failed, listed.moved]) {
    assert.deepEqual(await written(keepNeighbours, held), replace, held);
  }
  assert.deepEqual(await written(keepNeighbours, listed.reachable), []);
});

test("what somebody has set by hand, or another program keeps, stays", async () => {
  for (const held of [listed.fixed, listed.otherProgram]) {
    assert.deepEqual(await written(keepNeighbours, held), []);
    assert.deepEqual(await written(leaveNeighbours, held), []);
  }
});

test("of entries that go, those that are still ours are left stale", async () => {
  const stale = [`neigh replace 203.0.113.1 lladdr ${mac} dev vxlan228 nud stale`];
  assert.deepEqual(await written(leaveNeighbours, listed.reachable), stale);
  for (const held of [listed.none, listed.failed, listed.moved]) {
    assert.deepEqual(await written(leaveNeighbours, held), [], held);
  }
});

test("nothing wanted starts no program", async () => {
  const run = (): never => assert.fail("a program was started");
  await keepNeighbours({ run }, []);
  await leaveNeighbours({ run }, []);
});
