import assert from "node:assert/strict";
import { test } from "node:test";
import { addedByAnotherProgram } from "../../../../agent-image/agent/kernel/added-by-another-program.js";

const networkd = { networkd: true, networkManager: false };
const rule = (priority: number) => `ip -4 rule del priority ${priority} protocol 118 nop`;
const message = (...commands: readonly string[]) => addedByAnotherProgram(new Set(commands), networkd).message;

test("E1: the condition names what was removed and where to look for who puts it in", () => {
  assert.deepEqual(addedByAnotherProgram(new Set([rule(9)]), { networkd: false, networkManager: false }), {
    reason: "AddedByAnotherProgram",
    message:
      "another program puts in again what has this agent's protocol number 118 or its marks and belongs to no plan: 20 times " +
      "within 60 s it was removed, with: ip -4 rule del priority 9 protocol 118 nop; neither systemd-networkd nor NetworkManager " +
      "does so by itself: look for a script that brings back what it saved (ip rule restore, ip route restore), for another agent " +
      "of the node's network that was given this number, and for a second agent like this one; until a minute passes without, it " +
      "is removed every 10 s at most",
  });
});

test("three are named, and the others counted", () => {
  assert.match(
    message(rule(4), rule(2), rule(5), rule(1), rule(3)),
    /with: ip -4 rule del priority 1 [^;]+; [^;]+ priority 2 [^;]+; [^;]+ priority 3 [^;]+; and 2 more; neither/,
  );
});

test("systemd-networkd, of which routes alone can have our number", () => {
  const remedy =
    /; systemd-networkd runs: take Protocol=118 out of the sections \[Route\] of its \.network files; until/;
  assert.match(message("ip -4 route del 192.0.2.0/24 table 9 protocol 118"), remedy);
  assert.doesNotMatch(message(rule(1)), remedy);
});
