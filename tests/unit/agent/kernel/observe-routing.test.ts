import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { CommandFailure, type CommandRunner } from "../../../../agent-image/agent/kernel/command-runner.js";
import { observeRouting } from "../../../../agent-image/agent/kernel/observe-routing.js";
import type { NodePlan } from "../../../../model/index.js";

const root = mkdtempSync(join(tmpdir(), "routing-"));
after(() => rmSync(root, { recursive: true }));

/** Of Linux 6.18, with so many routes. */
function procOf(name: string, ipv4: number, ipv6: string): string {
  mkdirSync(join(root, name, "net"), { recursive: true });
  const triestat =
    "Basic info: size of leaf: 48 bytes, size of tnode: 40 bytes.\nMain:\n\tAver depth:     2.42\n\tMax depth:      3\n" +
    `\tLeaves:         7\n\tPrefixes:       ${ipv4}\n\tInternal nodes: 5\nLocal:\n\tLeaves:         7\n\tPrefixes:       99999\n`;
  writeFileSync(join(root, name, "net", "fib_triestat"), triestat);
  writeFileSync(join(root, name, "net", "rt6_stats"), `0009 0006 ${ipv6} 0007 0000 0000 0000\n`);
  return join(root, name, "sys");
}

/** `ip -4 -details -Numeric -json`, iproute2 6.1.0: the protocol or table that it was asked for is not printed. */
const answers: Readonly<Record<string, string>> = {
  "route show table all proto 118":
    '[{"type":"1","dst":"203.0.113.0/24","dev":"vxlan228","table":"228","scope":"253","flags":[]},' +
    '{"type":"1","dst":"10.8.0.0/16","dev":"vxlan228","table":"254","scope":"253","flags":[]}]',
  "route show table all exact default":
    '[{"type":"1","dst":"default","gateway":"10.0.7.1","dev":"eth0","table":"254","protocol":"3","scope":"0","flags":[]},' +
    '{"type":"7","dst":"default","table":"228","protocol":"3","scope":"0","flags":[]}]',
  "route show table 228":
    '[{"type":"7","dst":"default","protocol":"3","scope":"0","flags":[]},' +
    '{"type":"1","dst":"203.0.113.0/24","dev":"vxlan228","protocol":"118","scope":"253","flags":[]}]',
  "rule show": '[{"priority":4016,"src":"203.0.113.0","srclen":24,"table":"228","protocol":"118"}]',
};

function commandsOf(asked: string[]): CommandRunner {
  return {
    async run(argv, input) {
      const words = argv.slice(5).join(" ");
      asked.push(words);
      if (input !== undefined) return "[]\n[]\n";
      const answer = answers[words];
      if (answer !== undefined) return answer;
      throw new CommandFailure(argv, "Error: ipv4: FIB table does not exist.\nDump terminated\n");
    },
  };
}

const planOf = (...tables: readonly number[]) =>
  ({ networks: tables.map((table) => ({ routes: [{ table }] })), unplanned: [] }) as unknown as NodePlan;

describe("of a family with many routes", () => {
  test("only what concerns us is printed, and what is left out of it is put in", async () => {
    const asked: string[] = [];
    const { routes, rules, defaultRoutes } = await observeRouting(
      commandsOf(asked),
      procOf("many", 5_001, "001c"),
      4,
      planOf(300),
    );
    assert.deepEqual(asked, [
      "route show table all proto 118",
      "route show table all exact default",
      "rule show",
      "route show table 300",
      "route show table 228",
    ]);
    assert.deepEqual(
      routes.map(({ table, destination, protocol }) => [table, destination, protocol]),
      [
        [228, "default", 3],
        [228, "203.0.113.0/24", 118],
        [254, "10.8.0.0/16", 118],
      ],
    );
    assert.deepEqual(defaultRoutes, [
      { family: 4, table: 228 },
      { family: 4, table: 254 },
    ]);
    assert.deepEqual(
      rules.map(({ priority }) => priority),
      [4016],
    );
  });

  test("in many tables, everything is printed at once all the same", async () => {
    const asked: string[] = [];
    const tables = Array.from({ length: 33 }, (_, index) => 300 + index);
    await observeRouting(commandsOf(asked), procOf("tables", 5_001, "001c"), 4, planOf(...tables));
    assert.equal(asked.at(-1), "-batch -");
  });

  test("another failure than a table that is not there is one", async () => {
    const failing: CommandRunner = { run: (argv) => Promise.reject(new CommandFailure(argv, "Dump terminated\n")) };
    await assert.rejects(observeRouting(failing, procOf("failing", 5_001, "001c"), 4, planOf(300)), /Dump terminated/);
  });
});

test("few routes are read by one process; those of IPv6 are counted apart, in hexadecimal digits", async () => {
  const sysctlRoot = procOf("few", 5_000, "1389");
  const asked: string[] = [];
  await observeRouting(commandsOf(asked), sysctlRoot, 4, planOf(300));
  assert.deepEqual(asked, ["-batch -"]);
  asked.length = 0;
  await observeRouting(commandsOf(asked), sysctlRoot, 6, planOf(300));
  assert.equal(asked[0], "route show table all proto 118");
});
