import assert from "node:assert/strict";
import { test } from "node:test";
import { program } from "../../../../agent-image/agent/cli/program.js";

/** The options of `vlan-router agent` that these arguments give, or why they are refused. */
function parsed(...argv: readonly string[]): { readonly probe?: unknown; readonly error?: string } {
  const agent = program().commands.find((command) => command.name() === "agent");
  assert.ok(agent);
  let options: object = {};
  agent
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action((flags: object) => {
      options = flags;
    });
  try {
    agent.parse(argv, { from: "user" });
    return options;
  } catch (error) {
    return { error: (error as Error).message };
  }
}

test("--probe takes hosts with their port, several times", () => {
  assert.deepEqual(parsed("--probe", "10.0.7.1:22", "--probe", "[fd00::1]:179", "--probe", "jump.example:443").probe, [
    { host: "10.0.7.1", port: 22 },
    { host: "fd00::1", port: 179 },
    { host: "jump.example", port: 443 },
  ]);
});

for (const bad of ["10.0.7.1", "fd00::1:179", "10.0.7.1:0", "10.0.7.1:65536", ":22"]) {
  test(`--probe ${bad} says how to write it`, () => {
    assert.match(
      parsed("--probe", bad).error ?? "",
      /argument '.*' is invalid\. write HOST:PORT, an IPv6 address in brackets/,
    );
  });
}

for (const bad of ["0", "-1", "1.5", "soon"]) {
  test(`--confirm-timeout ${bad} says how to write it`, () => {
    assert.match(parsed(`--confirm-timeout=${bad}`).error ?? "", /write whole seconds from 1 to 9999/);
  });
}
