import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError, run, waitFor } from "../../../../lab/processes/index.js";

test("a program gets its input and gives its output", async () => {
  const result = await run(["sh", "-c", "cat; echo $GREETING; echo oops >&2"], {
    input: "in\n",
    env: { GREETING: "hi" },
  });
  assert.deepEqual(result, { code: 0, stdout: "in\nhi\n", stderr: "oops\n" });
});

test("an exit code other than 0 is an error that shows command, code and output", async () => {
  await assert.rejects(run(["sh", "-c", "echo broken >&2; exit 3"]), (error) => {
    assert.ok(error instanceof CommandError);
    assert.equal(error.message, "sh -c echo broken >&2; exit 3: exit code 3\nbroken");
    assert.equal(error.result.code, 3);
    return true;
  });
});

test("unchecked, the code is returned; a signal counts as shells do", async () => {
  assert.equal((await run(["sh", "-c", "exit 3"], { check: false })).code, 3);
  assert.equal((await run(["sh", "-c", "kill -9 $$"], { check: false })).code, 137);
});

test("a program that is not there is named", async () => {
  // A PATH that this user may not search would answer EACCES instead.
  await assert.rejects(run(["no-such-program"], { env: { PATH: "/usr/bin" } }), /no-such-program: .*ENOENT/);
});

test("a program that runs too long is killed with its children", async () => {
  const command = ["sh", "-c", "sleep 61.25 & echo $!; sleep 61.25"];
  let child = 0;
  await assert.rejects(run(command, { timeout: 300 }), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /killed after 300 ms/);
    child = Number(error.result.stdout);
    return true;
  });
  assert.ok(child > 1);
  await waitFor("the child to be gone", async () => {
    const { code, stdout } = await run(["ps", "-o", "stat=", "-p", String(child)], { check: false });
    return code === 1 || stdout.startsWith("Z");
  });
});
