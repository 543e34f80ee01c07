import assert from "node:assert/strict";
import type { Result } from "../../lab/processes/index.js";

/** What a run of the engine says that must fail, on one line: the engine wraps nothing, but indents. */
export async function refused(run: Promise<Result>): Promise<string> {
  const { code, stdout, stderr } = await run;
  assert.notEqual(code, 0, stdout);
  return `${stdout}\n${stderr}`.replaceAll(/\s+/g, " ");
}
