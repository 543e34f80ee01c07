import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

const command = join(__dirname, "..", "..", "..", "..", "agent-image", "agent", "main.js");
const folder = mkdtempSync(join(tmpdir(), "vlan-router-output-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "status.json"), '{"networks":[]}\n');

/** A BGP KEEPALIVE (RFC 4271, section 4.4). */
const keepalive = `${"ff".repeat(16)}001304`;
const status = '"$0" "$1" status --status-file "$2/status.json"';

/** A script in which `"$0" "$1"` is the command and `$2` a folder of the test's own. */
function shell(script: string) {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, process.execPath, command, folder], {
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, stdout: stdout.trim(), stderr };
}

describe("a reader that closes the pipe: no trace, and the exit code is that of the command", () => {
  // The pause lets the reader go before anything is written.
  for (const [script, codes] of [
    [`{ sleep 0.3; ${status}; echo "$?" >&3; } | true`, "0"],
    [`{ sleep 0.3; "$0" "$1" status --status-file "$2/none" 2>&1; echo "$?" >&3; } | true`, "1"],
    [`{ sleep 0.3; "$0" "$1" --help; echo "$?" >&3; } | true`, "0"],
    [`{ sleep 0.3; "$0" "$1" nothing 2>&1; echo "$?" >&3; } | true`, "2"],
    [`{ sleep 0.3; "$0" "$1" bgp decode ${keepalive}; echo "$?" >&3; } | true`, "0"],
    [`{ sleep 0.3; "$0" "$1" bgp decode ${keepalive} xx 2>&1; echo "$?" >&3; } | true`, "2"],
    // An input without end does not keep it.
    [`{ yes ${keepalive} | "$0" "$1" bgp decode -; echo "$?" >&3; } | head -c 1 >/dev/null`, "0"],
  ] as const) {
    test(script.replaceAll('"$0" "$1"', "vlan-router"), () => {
      const { stdout, stderr } = shell(`{ ${script}; } 3>&1`);
      assert.deepEqual([stdout, stderr], [codes, ""]);
    });
  }
});

test("no room for the output: exit code 1, and the reason where it can be told", () => {
  assert.deepEqual(shell(`${status} >/dev/full`), {
    status: 1,
    stdout: "",
    stderr: "vlan-router: the output could not be written: ENOSPC: no space left on device, write\n",
  });
  assert.equal(shell(`${status} >/dev/full 2>&1`).status, 1);
});
