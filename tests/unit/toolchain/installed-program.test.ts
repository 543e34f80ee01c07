import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { findInstalled, printedVersionFits } from "../../../lab/toolchain/installed-program.js";
import { tools } from "../../../lab/toolchain/tools.js";

const folder = mkdtempSync(join(tmpdir(), "installed-program-"));
after(() => rmSync(folder, { recursive: true }));

function program(path: string, prints: string, exitCode = 0): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${prints}'\nexit ${exitCode}\n`, { mode: 0o755 });
  return file;
}

const nowhere = () => undefined;
const path = (...folders: readonly string[]) => ({ PATH: folders.map((name) => join(folder, name)).join(":") });

function versionsOf(name: string) {
  const installed = tools.find((tool) => tool.name === name)?.installed;
  assert.equal(installed?.kind, "path");
  return installed.versions;
}

test("what real programs print is judged by the table of tools", () => {
  const kubectl = versionsOf("kubectl");
  assert.equal(printedVersionFits("Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0\n", kubectl), true);
  assert.equal(printedVersionFits("Client Version: v1.29.15\nKustomize Version: v5.0.4\n", kubectl), false);

  const kubelet = versionsOf("kubelet");
  assert.equal(printedVersionFits("Kubernetes v1.36.3\n", kubelet), true);
  assert.equal(printedVersionFits("Kubernetes v1.35.9\n", kubelet), false);
  assert.equal(printedVersionFits("Kubernetes v1.37.0\n", kubelet), false);

  const pulumi = versionsOf("pulumi");
  assert.equal(printedVersionFits("v3.274.1\n", pulumi), true);
  assert.equal(printedVersionFits("v3.99.0\n", pulumi), false);
  // Built without its linker variable.
  assert.equal(printedVersionFits("\n", pulumi), false);
});

test("the first program on PATH that runs and fits is taken", () => {
  const installed = { kind: "path", versionArguments: ["--version"], versions: { minimum: "1.36.0" } } as const;
  program("old/kubelet", "Kubernetes v1.30.0");
  program("broken/kubelet", "Kubernetes v1.36.3", 1);
  const fitting = program("new/kubelet", "Kubernetes v1.36.3");
  assert.equal(findInstalled("kubelet", installed, nowhere, path("missing", "old", "broken", "new")), fitting);
  assert.equal(findInstalled("kubelet", installed, nowhere, path("old", "broken")), undefined);
  assert.equal(findInstalled("kubelet", installed, nowhere, {}), undefined);
});

test("a language host counts only beside the CLI that was found", () => {
  const installed = { kind: "beside", program: "pulumi" } as const;
  const cli = program("pulumi/bin/pulumi", "v3.274.1");
  const host = program("pulumi/bin/pulumi-language-nodejs", "");
  assert.equal(
    findInstalled("pulumi-language-nodejs", installed, () => cli, path("pulumi/bin")),
    host,
  );
  assert.equal(findInstalled("pulumi-language-nodejs", installed, nowhere, path("pulumi/bin")), undefined);
});

test("a provider plugin counts in Pulumi's plugin folder of the same version", () => {
  const plugin = program("home/plugins/resource-kubernetes-v4.34.2/pulumi-resource-kubernetes", "");
  const environment = { PULUMI_HOME: join(folder, "home") };
  const find = (version: string) =>
    findInstalled(
      "pulumi-resource-kubernetes",
      { kind: "pulumi-plugin", folder: `resource-kubernetes-v${version}` },
      nowhere,
      environment,
    );
  assert.equal(find("4.34.2"), plugin);
  assert.equal(find("4.34.3"), undefined);
});

test("a program that must be built is never looked for", () => {
  program("any/pause", "v1");
  assert.equal(findInstalled("pause", { kind: "never", reason: "test" }, nowhere, path("any")), undefined);
});
