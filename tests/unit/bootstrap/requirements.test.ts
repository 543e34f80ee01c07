import assert from "node:assert/strict";
import { test } from "node:test";
import { missingRequirements } from "../../../lab/bootstrap/requirements.mjs";

const complete = { platform: "linux", uid: 0, npm: true, goComplaint: undefined };

test("nothing is missing on a complete machine", () => {
  assert.deepEqual(missingRequirements(complete), []);
});

test("everything that is missing is named at once, with what to do", () => {
  const missing = missingRequirements({ platform: "darwin", uid: 501, npm: false, goComplaint: "Go is missing." });
  assert.equal(missing.length, 4);
  assert.match(missing[0] ?? "", /^Linux is missing: .*this is darwin/);
  assert.match(missing[1] ?? "", /^Root is missing: .*sudo npm start.*npm run test:unit/);
  assert.match(missing[2] ?? "", /^npm is missing: .*Install it/);
  assert.equal(missing[3], "Go is missing.");
});

test("a user who is not root is told why root is needed", () => {
  const [complaint] = missingRequirements({ ...complete, uid: 1000 });
  assert.match(complaint ?? "", /network namespaces.*Debian packages/);
});
