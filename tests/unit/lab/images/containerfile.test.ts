import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryRoot } from "../../../../lab/bootstrap/repository.mjs";
import { agentConfiguration } from "../../../../lab/images/agent.js";

const text = readFileSync(join(repositoryRoot, "agent-image", "Containerfile"), "utf8");

/** What the last stage says after one instruction. */
function said(instruction: string): readonly string[] {
  const stage = text.slice(text.lastIndexOf("\nFROM "));
  return Array.from(stage.matchAll(new RegExp(`^${instruction} (.*)$`, "gm")), ([, rest]) => String(rest));
}

test("the Containerfile starts the image and describes it as the builder of the archive does", () => {
  const { Entrypoint, Env, Labels } = agentConfiguration();
  assert.deepEqual(
    said("ENTRYPOINT").map((list) => JSON.parse(list) as unknown),
    [Entrypoint],
  );
  assert.deepEqual(said("ENV"), Env);
  const labels = said("LABEL").map((label) => label.split("=").map((part) => part.replaceAll('"', "")));
  assert.deepEqual(Object.fromEntries(labels), Labels);
});

test("its files are those of the builder, and no others", () => {
  assert.deepEqual(said("COPY"), ["--from=build /image /"]);
  assert.match(text, /^RUN npm run image -- --arch "\$TARGETARCH" --root-filesystem \/image$/m);
  assert.deepEqual(said("RUN"), []);
});
