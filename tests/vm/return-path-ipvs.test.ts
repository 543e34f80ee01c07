import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { createProgress } from "../../lab/progress.js";
import { ensureVm, runInVm } from "../../lab/vm/index.js";

/** Emulation is slow, and more so while other tests build or run beside it. */
const TIMEOUT_MS = 600_000;

it("the return path of IPVS, on Debian's kernel", { timeout: TIMEOUT_MS }, async () => {
  const machine = await ensureVm(createProgress());
  const program = join(__dirname, "guest", "return-path-ipvs.js");
  const argv = [process.execPath, "--test", "--test-reporter=tap", program] as const;
  const result = await runInVm(machine, { argv: [...argv], cwd: "/", timeout: TIMEOUT_MS });
  console.log(result.stdout);
  assert.equal(result.code, 0, `the guest's tests failed, see above; ${result.stderr}`);
  // Counted in the guest's own summary: seven settings, each with three services, six clients and what is told.
  assert.match(result.stdout, /^# pass 133$/m);
  assert.match(result.stdout, /^# fail 0$/m);
  assert.match(result.stdout, new RegExp(`^# kernel ${machine.kernel.release}$`, "m"));
});
