import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryRoot } from "../../../lab/bootstrap/repository.mjs";

/** Where conditions are made. The command line's refusals (agent-image/agent/cli) have a page of their own. */
const SOURCES = ["model", "agent-image/agent"];
const ELSEWHERE = /^agent-image\/agent\/(cli|cluster\/api-client)\b/;

/** A reason that is written out: in an object, and where a function makes the object. */
const WRITTEN_REASON = /\b(?:reason: [^"\n]*|condition\(|tell\(\s*)"([A-Z][A-Za-z0-9]+)"(?: : "([A-Z][A-Za-z0-9]+)")?/g;

function reasonsInCode(): readonly string[] {
  const texts = SOURCES.flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" })
      .map((path) => join(folder, path))
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts") && !ELSEWHERE.test(path))
      .map((path) => readFileSync(join(repositoryRoot, path), "utf8")),
  );
  const found = texts.flatMap((text) => [...text.matchAll(WRITTEN_REASON)].flatMap(([, one, other]) => [one, other]));
  return [...new Set(found.filter((reason) => reason !== undefined))].sort();
}

function reasonsOnPage(): readonly string[] {
  const page = readFileSync(join(repositoryRoot, "docs/reference/conditions.md"), "utf8");
  return [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason = ""]) => reason).sort();
}

test("docs/reference/conditions.md has every reason of a condition once, and no other", () => {
  assert.deepEqual(reasonsOnPage(), reasonsInCode());
});
