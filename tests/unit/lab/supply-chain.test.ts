import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryRoot } from "../../../lab/bootstrap/repository.mjs";
import { type PackageLock, packageClosure } from "../../../lab/images/package-closure.js";

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
}

const lock = JSON.parse(readFileSync(join(repositoryRoot, "package-lock.json"), "utf8")) as PackageLock & {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** SPDX names; all of them let the package be handed on within an Apache-2.0 work, in binary form with their notices. */
const ALLOWED = new Set([
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "PSF-2.0",
  "Unlicense",
]);

/** What a package.json names as its dependencies. */
function dependenciesOf(file: string): readonly string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(repositoryRoot, file), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies);
}

for (const [what, file, from] of [
  ["the published package", "package.json", ""],
  ["the agent", "agent-image/package.json", "agent-image"],
] as const) {
  test(`everything that ${what} brings has a licence of the list`, () => {
    const folders = packageClosure(lock, dependenciesOf(file), from, () => true);
    assert.ok(folders.length > 10, folders.join());
    const others = folders.filter((folder) => !ALLOWED.has(lock.packages[folder]?.license ?? "none"));
    assert.deepEqual(
      others.map((folder) => `${folder}: ${lock.packages[folder]?.license}`),
      [],
    );
  });
}

test("every package is fixed by its checksum, and none by the registry that it came from", () => {
  for (const [folder, locked] of Object.entries(lock.packages)) {
    if (!/(?:^|\/)node_modules\//.test(folder) || locked.link === true) continue;
    assert.match(locked.integrity ?? "", /^sha512-/, folder);
    assert.equal(locked.resolved, undefined, folder);
  }
});

/** They run nothing that is needed: the set-up, CI and the image install with `--ignore-scripts`. */
const WITH_INSTALL_SCRIPTS = [
  // Would fetch the engine's plugin; the lab builds it.
  "node_modules/@pulumi/kubernetes",
  // Would compile where there is no library for the platform; there is one.
  "node_modules/koffi",
  // Warns of a version scheme.
  "node_modules/protobufjs",
];

test("no package has an install script but those that are known, and nobody runs them", () => {
  const found = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  assert.deepEqual(
    found.map(([folder]) => folder),
    WITH_INSTALL_SCRIPTS,
  );
  const setUp = readFileSync(join(repositoryRoot, "lab/bootstrap/dependencies.mjs"), "utf8");
  assert.match(setUp, /"ci", "--ignore-scripts"/);
});
