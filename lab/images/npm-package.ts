import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../bootstrap/cache-directory.mjs";
import { run } from "../processes/run.js";
import type { Progress } from "../progress.js";

/** A package of the npm registry whose content is known. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-…` as in a package-lock.json. */
  readonly integrity: string;
}

/**
 * Folder with the content of a package, of any platform, kept in the cache. Its scripts are not run.
 *
 * @throws when npm cannot have it, or has something else than `integrity` says
 */
export async function npmPackageFolder(wanted: NpmPackage, progress: Progress): Promise<string> {
  const { name, version } = wanted;
  const parent = join(cacheDirectory(), "npm");
  const folder = join(parent, `${name.replace("/", "+")}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const partial = await mkdtemp(join(parent, "partial."));
  try {
    await progress.step(`npm package ${name} ${version}`, () => fetchInto(wanted, partial));
    await rename(join(partial, "package"), folder).catch((error: unknown) => {
      // Another run may have been faster; its copy is the same.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function fetchInto({ name, version, integrity }: NpmPackage, folder: string): Promise<void> {
  await run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, `${name}@${version}`]);
  const [file = ""] = await readdir(folder);
  const archive = join(folder, file);
  const found = `sha512-${createHash("sha512")
    .update(await readFile(archive))
    .digest("base64")}`;
  if (found !== integrity)
    throw new Error(
      `npm gave ${name} ${version} with the checksum ${found}, and ${integrity} is expected: do not use it`,
    );
  await run(["tar", "--extract", "--gzip", "--no-same-owner", "--file", archive, "--directory", folder]);
}
