import assert from "node:assert/strict";
import type { Result } from "../../lab/processes/index.js";

/** What a command said that has to succeed; where it does not, the failure shows all of it. */
export async function succeeds(run: Promise<Result>): Promise<string> {
  const { code, stdout, stderr } = await run;
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return stdout;
}
