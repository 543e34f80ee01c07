import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { cacheDirectory } from "../../bootstrap/cache-directory.mjs";
import { run } from "../../processes/run.js";
import type { Progress } from "../../progress.js";
import { withFileLock } from "../../toolchain/file-lock.js";
import type { Architecture } from "../architecture.js";
import { debianRelease, debianSources } from "./debian-sources.js";

/** A Debian package on this machine's disk, not installed. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** The package file. */
  readonly file: string;
  /** Folder with its content. */
  readonly folder: string;
}

/** Which versions are taken: `newest` asks the archive, `kept` takes those of the last time and asks only where there are none. */
export type Freshness = "newest" | "kept";

/**
 * Packages of Debian and everything that they depend on, for any processor: fetched by apt with its own lists, checked with
 * Debian's signatures, unpacked and never run. They are kept in the cache.
 *
 * @throws when apt cannot have them
 */
export async function debianPackages(
  wanted: readonly string[],
  architecture: Architecture,
  freshness: Freshness,
  progress: Progress,
): Promise<readonly DebianPackage[]> {
  const root = join(cacheDirectory(), "debian", `${debianRelease}-${architecture}`);
  await mkdir(root, { recursive: true });
  const onWait = () => progress.note(`another run fetches Debian packages for ${architecture}: waiting for it`);
  return withFileLock(join(root, "lock"), onWait, async () => {
    const list = join(root, `packages-${shortHash(wanted)}.json`);
    const kept = freshness === "kept" ? await keptFiles(list) : undefined;
    const files =
      kept ??
      (await progress.step(`Debian packages for ${architecture}`, () => fetchPackages(root, wanted, architecture)));
    if (kept === undefined) await writeWhole(list, JSON.stringify(files));
    return Promise.all(files.map((file) => unpack(root, file)));
  });
}

async function keptFiles(list: string): Promise<readonly string[] | undefined> {
  if (!existsSync(list)) return undefined;
  const files = JSON.parse(await readFile(list, "utf8")) as readonly string[];
  return files.every((file) => existsSync(file)) ? files : undefined;
}

/** @returns paths of the package files, sorted */
async function fetchPackages(
  root: string,
  wanted: readonly string[],
  architecture: Architecture,
): Promise<readonly string[]> {
  const apt = await privateApt(root, architecture);
  await apt(["update"]);
  const install = ["install", "--yes", "--no-install-recommends", ...wanted];
  const { stdout } = await apt(["--print-uris", ...install]);
  const names = Array.from(stdout.matchAll(/^'[^']+' (\S+\.deb) \d+ /gm), ([, name]) => String(name));
  const archives = join(root, "cache", "archives");
  const missing = names.filter((name) => !existsSync(join(archives, name)));
  if (missing.length > 0) await apt(["--download-only", ...install]);
  return names.map((name) => join(archives, name)).sort();
}

/** apt with lists, state and packages in a folder of its own: for it nothing is installed, so it names every dependency. */
async function privateApt(root: string, architecture: Architecture) {
  const state = join(root, "state");
  await mkdir(join(state, "lists", "partial"), { recursive: true });
  await mkdir(join(root, "cache", "archives", "partial"), { recursive: true });
  await writeFile(join(state, "status"), "");
  const sources = join(root, "sources.list");
  await writeFile(sources, `${(await debianSources()).join("\n")}\n`);
  const options = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    // The cache may lie where apt's own user cannot write.
    "APT::Sandbox::User=",
    "Acquire::Languages=none",
    "Acquire::Retries=3",
    `Dir::State=${state}`,
    `Dir::State::status=${join(state, "status")}`,
    `Dir::Cache=${join(root, "cache")}`,
    `Dir::Etc::SourceList=${sources}`,
    "Dir::Etc::SourceParts=/dev/null",
  ].flatMap((option) => ["--option", option]);
  return (args: readonly string[]) => run(["apt-get", "--quiet=2", ...options, ...args]);
}

async function unpack(root: string, file: string): Promise<DebianPackage> {
  const folder = join(root, "unpacked", basename(file, ".deb"));
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    await run(["dpkg-deb", "--extract", file, partial]);
    await rename(partial, folder);
  }
  // NAME_VERSION_ARCHITECTURE.deb, where apt writes the colon of an epoch as %3a.
  const [name = "", version = ""] = basename(file, ".deb").split("_");
  return { name, version: decodeURIComponent(version), file, folder };
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.partial`, text);
  await rename(`${path}.partial`, path);
}

function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 10);
}
