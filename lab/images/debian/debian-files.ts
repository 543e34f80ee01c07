import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { join, posix } from "node:path";
import type { DebianPackage } from "./debian-archive.js";

/** A file that a package brings. */
export interface PackagedFile {
  readonly package: DebianPackage;
  /** Where it is on this machine. */
  readonly source: string;
}

const PROGRAM_FOLDERS = ["usr/sbin", "usr/bin", "sbin", "bin"];

/** How many links may lead to one file; the kernel's own limit (path_resolution(7)). */
const MOST_LINKS = 40;

/** The files of unpacked packages as one tree. It remembers which packages were used. */
export class DebianFiles {
  readonly #packages: readonly DebianPackage[];
  readonly #used = new Set<DebianPackage>();

  constructor(packages: readonly DebianPackage[]) {
    this.#packages = packages;
  }

  /** Packages of which files were asked for, by name. */
  get used(): readonly DebianPackage[] {
    return [...this.#used].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws when no package has it */
  program(name: string): PackagedFile {
    return this.#first(PROGRAM_FOLDERS, name, "program");
  }

  /**
   * @param folders where the dynamic loader looks for it
   * @throws when no package has it
   */
  library(name: string, folders: readonly string[]): PackagedFile {
    return this.#first(folders, name, "shared library");
  }

  /**
   * A file by its path in the tree; links are followed.
   *
   * @throws when no package has it
   */
  file(path: string): PackagedFile {
    return this.#first([posix.dirname(path)], posix.basename(path), "file");
  }

  /** Marks a package as used and returns it. */
  package(name: string): DebianPackage {
    const found = this.#packages.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`the Debian package ${name} is not among those that were fetched`);
    this.#used.add(found);
    return found;
  }

  #first(folders: readonly string[], name: string, kind: string): PackagedFile {
    for (const folder of folders) {
      const found = this.#find(posix.join(folder, name), 0);
      if (found === undefined) continue;
      this.#used.add(found.package);
      return found;
    }
    throw new Error(
      `no Debian package of the image has the ${kind} ${name}: it was looked for in ${folders.join(", ")} of ` +
        this.#packages.map((candidate) => candidate.name).join(" "),
    );
  }

  /** Goes down folder by folder, because a folder can be a link into another package (usr/share/doc/libgcc-s1). */
  #find(path: string, links: number): PackagedFile | undefined {
    if (links > MOST_LINKS) throw new Error(`${path} is a link that leads to itself`);
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const above = parts.slice(0, depth).join("/");
      const link = this.#entry(above, (status) => status.isSymbolicLink());
      if (link === undefined) continue;
      const target = posix.resolve("/", posix.dirname(above), readlinkSync(link.source)).slice(1);
      return this.#find(posix.join(target, ...parts.slice(depth)), links + 1);
    }
    return this.#entry(path, (status) => status.isFile());
  }

  #entry(path: string, fits: (status: Stats) => boolean): PackagedFile | undefined {
    for (const owner of this.#packages) {
      const source = join(owner.folder, path);
      const status = lstatSync(source, { throwIfNoEntry: false });
      if (status !== undefined && fits(status)) return { package: owner, source };
    }
    return undefined;
  }
}
