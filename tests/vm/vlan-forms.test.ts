import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createProgress } from "../../lab/progress.js";
import { ensureVm, runInVm } from "../../lab/vm/index.js";

/** Emulation is slow, and more so while other tests build or run beside it. */
const TIMEOUT_MS = 600_000;

describe("VLAN interfaces in all their forms, on Debian's kernel", () => {
  it("passes its tests in the virtual machine", { timeout: TIMEOUT_MS }, async () => {
    const machine = await ensureVm(createProgress());
    const argv = [
      process.execPath,
      "--test",
      "--test-reporter=tap",
      join(__dirname, "guest", "vlan-forms.js"),
    ] as const;
    const result = await runInVm(machine, { argv: [...argv], cwd: "/", timeout: TIMEOUT_MS });
    console.log(result.stdout);
    assert.equal(result.code, 0, `the guest's tests failed, see above; ${result.stderr}`);
    // Counted in the guest's own summary: a run that found no tests would end with 0 as well.
    assert.match(result.stdout, /^# pass 23$/m);
    assert.match(result.stdout, /^# fail 0$/m);
    assert.match(result.stdout, new RegExp(`^# kernel ${machine.kernel.release}$`, "m"));
  });
});
