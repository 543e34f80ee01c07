import { requireGo } from "../bootstrap/go-runtime.mjs";
import { run } from "../processes/run.js";
import type { Progress } from "../progress.js";
import { ensureProgram } from "../toolchain/index.js";
import { type Architecture, hostArchitecture } from "./architecture.js";
import type { Component } from "./component.js";
import type { RootFilesystem } from "./root-filesystem.js";

/** Of the lab's toolchain: the major version whose service the agent offers to it. */
const PROGRAM = "gobgp-v4";

/**
 * Layer with GoBGP's command, a static program.
 *
 * @returns its module and the modules that are linked into it
 * @throws when it is not built yet and cannot be
 */
export async function addGobgp(
  root: RootFilesystem,
  architecture: Architecture,
  progress: Progress,
): Promise<readonly Component[]> {
  const foreign = architecture === hostArchitecture() ? undefined : architecture;
  const program = await ensureProgram(PROGRAM, progress, foreign);
  await root.addFile(program, "usr/bin/gobgp", 0o755);
  return linkedModules((await run([requireGo().program, "version", "-m", program])).stdout);
}

/** @param listing what `go version -m PROGRAM` prints */
export function linkedModules(listing: string): readonly Component[] {
  const go = /: go(\S+)$/m.exec(listing)?.[1];
  const modules = Array.from(
    listing.matchAll(/^\t(?:mod|dep)\t(\S+)\t(\S+)/gm),
    ([, name, version]): Component => ({ kind: "golang", name: String(name), version: String(version) }),
  );
  return go === undefined ? modules : [...modules, { kind: "golang", name: "stdlib", version: `v${go}` }];
}
