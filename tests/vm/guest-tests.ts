import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { createProgress } from "../../lab/progress.js";
import { ensureVm, runInVm } from "../../lab/vm/index.js";

/** Emulation is slow, and more so while other tests build or run beside it. */
const TIMEOUT_MS = 600_000;

/**
 * One test that runs a test program of `guest/` on Debian's kernel in the virtual machine.
 *
 * @param program its name without extension
 * @param passes how many tests the guest's own summary must count: a run that found none would end with 0 as well
 */
export function itInVm(name: string, program: string, passes: number): void {
  it(`${name}, on Debian's kernel`, { timeout: TIMEOUT_MS }, async () => {
    const machine = await ensureVm(createProgress());
    const argv = [
      process.execPath,
      "--test",
      "--test-reporter=tap",
      join(__dirname, "guest", `${program}.js`),
    ] as const;
    const result = await runInVm(machine, { argv: [...argv], cwd: "/", timeout: TIMEOUT_MS });
    console.log(result.stdout);
    assert.equal(result.code, 0, `the guest's tests failed, see above; ${result.stderr}`);
    assert.match(result.stdout, new RegExp(`^# pass ${passes}$`, "m"));
    assert.match(result.stdout, /^# fail 0$/m);
    assert.match(result.stdout, new RegExp(`^# kernel ${machine.kernel.release}$`, "m"));
  });
}
