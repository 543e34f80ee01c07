import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandFailure } from "../../../../agent-image/agent/kernel/command-runner.js";
import { forgetUdpFlows } from "../../../../agent-image/agent/kernel/connections.js";

/** What conntrack 1.4.7 writes, exit code 1, where no flow fits. */
const none = "conntrack v1.4.7 (conntrack-tools): 0 flow entries have been deleted.\n";

function runner(stderr: string) {
  const started: string[] = [];
  const run = async (argv: readonly string[]): Promise<string> => {
    started.push(argv.join(" "));
    throw new CommandFailure(argv, stderr);
  };
  return { started, run };
}

test("the UDP flows of each address are forgotten, and none is none", async () => {
  const commands = runner(none);
  await forgetUdpFlows(commands, ["203.0.113.10", "2001:db8:1::10"]);
  assert.deepEqual(commands.started, [
    "conntrack -D -f ipv4 -p udp --orig-dst 203.0.113.10",
    "conntrack -D -f ipv6 -p udp --orig-dst 2001:db8:1::10",
  ]);
});

test("a failure is told after all addresses were tried", async () => {
  const commands = runner("conntrack v1.4.7 (conntrack-tools): Operation failed: Operation not permitted\n");
  await assert.rejects(forgetUdpFlows(commands, ["203.0.113.10", "203.0.113.11"]), /203\.0\.113\.10: .*not permitted/);
  assert.equal(commands.started.length, 2);
});
