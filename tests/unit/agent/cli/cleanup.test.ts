import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type CleanupReport,
  cleanupComplaints,
  cleanupExitCode,
  cleanupText,
  refusedReport,
} from "../../../../agent-image/agent/cli/cleanup-report.js";

const clean: CleanupReport = {
  dryRun: false,
  refused: null,
  commands: [],
  files: [],
  directories: [],
  goesAlong: [],
  stays: [],
  errors: [],
};
const runs = { reason: "AgentRuns", message: "an agent works" } as const;
const bridge = { reason: "BridgeInUse", message: "bridge br228 stays", ours: true };

describe("the exit code of a clean-up", () => {
  for (const [what, report, code] of [
    ["nothing to do", {}, 0],
    ["objects of others stay", { stays: [{ ...bridge, ours: false }] }, 0],
    ["something of ours stays", { stays: [bridge] }, 1],
    ["a command failed", { errors: ["ip link del dev vxlan228: busy"] }, 1],
    ["an agent runs", { refused: runs }, 2],
    ["a dry run while an agent runs", { refused: runs, dryRun: true }, 0],
    ["a dry run of what would stay", { stays: [bridge], dryRun: true }, 0],
    ["a dry run that may read nothing", { refused: { reason: "NotPermitted", message: "" }, dryRun: true }, 2],
  ] as const) {
    test(`${what}: ${code}`, () => assert.equal(cleanupExitCode({ ...clean, ...report }), code));
  }
});

test("paths are quoted as a shell needs it", () => {
  const report = { ...clean, files: ["/var/lib/my router/lock"], directories: ["/var/lib/my router"] };
  assert.equal(cleanupText(report), "rm '/var/lib/my router/lock'\nrmdir '/var/lib/my router'\n");
});

test("a node on which everything failed is not called clean", () => {
  assert.equal(cleanupText({ ...clean, errors: ["nft: failed"] }), "");
  assert.equal(cleanupComplaints({ ...clean, errors: ["nft: failed"] }), "vlan-router cleanup: nft: failed\n");
});

test("nor is one on which something of ours is in use", () => {
  assert.equal(cleanupText({ ...clean, stays: [bridge] }), "# stays: bridge br228 stays\n");
  assert.equal(
    cleanupText({ ...clean, stays: [{ ...bridge, ours: false }] }),
    "# nothing of vlan-router was on this node\n# stays: bridge br228 stays\n",
  );
});

test("a refusal says whether it is one, or would be", () => {
  assert.equal(
    cleanupComplaints(refusedReport(false, runs)),
    "vlan-router cleanup: refused, nothing was changed: an agent works\n",
  );
  assert.equal(cleanupComplaints(refusedReport(true, runs)), "vlan-router cleanup: would be refused: an agent works\n");
});
