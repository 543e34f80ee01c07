import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { repositoryRoot } from "../../../lab/bootstrap/repository.mjs";
import { customResourceDefinitions } from "../../../model/index.js";
import { generatedFiles } from "../../../schemas/generate/generated-files.js";

const folder = join(repositoryRoot, "schemas");

describe("the files in schemas/ are those of the model", () => {
  for (const { path, text } of generatedFiles()) {
    test(path, () => {
      const committed = readFileSync(join(folder, path), "utf8");
      assert.ok(committed === text, `schemas/${path} is older than the model: run npm run generate`);
    });
  }

  test("each definition reads as the model has it", () => {
    const definitions = generatedFiles()
      .filter(({ path }) => path.startsWith("crds/"))
      .map(({ text }) => parse(text));
    assert.deepEqual(definitions, customResourceDefinitions());
  });

  test("and no others", () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => !path.startsWith("generate/"));
    assert.deepEqual(files.sort(), [
      "crds/publicnetworks.vlan-router.io.yaml",
      "crds/routernodes.vlan-router.io.yaml",
      "crds/vlanrouters.vlan-router.io.yaml",
      "vlan-router.schema.json",
    ]);
  });
});
