import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCommandLine, UsageError } from "../../../../lab/cli/command-line.js";

for (const [args, expected] of [
  [[], { kind: "help" }],
  [["--help"], { kind: "help" }],
  [["up", "--help"], { kind: "help" }],
  [["status"], { kind: "status", lab: "default", json: false }],
  [["--lab", "other", "status", "--json"], { kind: "status", lab: "other", json: true }],
  [["shell", "n1"], { kind: "shell", lab: "default", place: "n1" }],
  [["up"], { kind: "up", lab: "default", fabricOnly: false }],
  [["up", "--fabric-only"], { kind: "up", lab: "default", fabricOnly: true }],
  [["down"], { kind: "down", lab: "default" }],
  // Options behind the place are the command's own.
  [
    ["exec", "n1", "ip", "--json", "route"],
    { kind: "exec", lab: "default", place: "n1", argv: ["ip", "--json", "route"] },
  ],
  [
    ["exec", "admin", "--", "kubectl", "get", "--help"],
    { kind: "exec", lab: "default", place: "admin", argv: ["kubectl", "get", "--help"] },
  ],
] as const) {
  test(`lab ${args.join(" ")}`, () => assert.deepEqual(parseCommandLine(args), expected));
}

for (const [args, message] of [
  [["shell", "n4"], /the lab has no "n4": use one of client, gateway, rr1, rr2, n1, n2, n3, admin/],
  [["shell"], /the place is missing/],
  [["exec", "n1"], /the command is missing/],
  [["destroy"], /no command "destroy": use one of status, shell, exec, up, down/],
  [["status", "--yaml"], /--yaml/],
  [["down", "now"], /one word too many, "now"/],
  [["--lab"], /the name is missing/],
] as const) {
  test(`lab ${args.join(" ")} is refused`, () => {
    assert.throws(
      () => parseCommandLine(args),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}
