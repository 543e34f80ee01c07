import { posix } from "node:path";

/** What this file reads of a package-lock.json (npm's documentation, package-lock.json, `packages`). */
export interface PackageLock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  readonly version?: string;
  /** Checksum of the package's archive. */
  readonly integrity?: string;
  /** SPDX expression. */
  readonly license?: string;
  /** Names of `process.platform` and `process.arch` that it is for; every one where it is missing. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Type declarations, which some packages list as dependencies, do nothing at run time. */
const DECLARATIONS = "@types/";

/**
 * Folders of the packages that a program needs at run time, sorted, as the lock file names them (`node_modules/ws`).
 *
 * @param names packages that the program itself loads
 * @param from folder of the program, where Node starts to look for them
 * @param installed whether a folder of the lock file can be had; optional packages of other platforms are left out
 * @throws when a needed package is not in the lock file
 */
export function packageClosure(
  lock: PackageLock,
  names: readonly string[],
  from: string,
  installed: (folder: string) => boolean,
): readonly string[] {
  const folders = new Set<string>();
  const visit = (name: string, user: string, optional: boolean) => {
    if (name.startsWith(DECLARATIONS)) return;
    const folder = resolvePackage(lock, name, user);
    if (folder === undefined || !installed(folder)) {
      if (optional) return;
      throw new Error(`${user || "the program"} needs the package ${name}, which is not installed: run npm ci`);
    }
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[folder] ?? {};
    for (const dependency of Object.keys(dependencies ?? {})) visit(dependency, folder, false);
    for (const dependency of Object.keys(optionalDependencies ?? {})) visit(dependency, folder, true);
    for (const peer of Object.keys(peerDependencies ?? {}))
      visit(peer, folder, peerDependenciesMeta?.[peer]?.optional === true);
  };
  for (const name of names) visit(name, from, false);
  return [...folders].sort();
}

/** Node's way to find a package: the `node_modules` of the user's folder, then those of the folders above it. */
function resolvePackage(lock: PackageLock, name: string, user: string): string | undefined {
  for (let folder = user; ; folder = posix.dirname(folder)) {
    const candidate = posix.join(folder === "." ? "" : folder, "node_modules", name);
    if (candidate in lock.packages) return candidate;
    if (folder === "." || folder === "") return undefined;
  }
}
