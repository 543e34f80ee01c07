import { chmod, constants, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** Folders that programs and the container runtime expect. */
const FOLDERS = [
  "dev",
  "etc",
  "proc",
  "root",
  "run",
  "sys",
  "tmp",
  "usr/bin",
  "usr/lib",
  "usr/lib64",
  "usr/sbin",
  "var",
];

/** The merged /usr of Debian 12: a library that `ldd` names by its old path lands in the same folder. */
const LINKS: Readonly<Record<string, string>> = {
  bin: "usr/bin",
  lib: "usr/lib",
  lib64: "usr/lib64",
  sbin: "usr/sbin",
  "var/run": "/run",
};

/** A folder that becomes the `/` of an image, made from files of this machine. */
export class RootFilesystem {
  /** Folders that are there already, so that each is made once for its many files. */
  readonly #folders = new Set<string>();

  private constructor(readonly folder: string) {}

  /** Makes an empty one in a temporary folder, hands it to `use` and removes it afterwards. */
  static async with<T>(use: (root: RootFilesystem) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), "vlan-router-image."));
    try {
      // mkdtemp makes it 0700; a program that is not root (MetalLB's controller) must get in.
      await chmod(folder, 0o755);
      return await use(new RootFilesystem(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** One in a folder that is there already and stays. */
  static async in(folder: string): Promise<RootFilesystem> {
    await chmod(folder, 0o755);
    return new RootFilesystem(folder);
  }

  /** Adds what every first layer has: the folders, and names for user 0 and for nobody. */
  async addSkeleton(): Promise<void> {
    for (const name of FOLDERS) await this.addFolder(name);
    await chmod(join(this.folder, "tmp"), 0o1777);
    for (const [name, target] of Object.entries(LINKS)) await this.addLink(name, target);
    await this.addText("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n");
    await this.addText("etc/group", "root:x:0:\nnogroup:x:65534:\n");
    await this.addText("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
  }

  async addFolder(path: string): Promise<void> {
    if (path === "." || path === "/" || this.#folders.has(path)) return;
    // Folder by folder, because mkdir's mode is cut by the umask and the mode is part of the image.
    await this.addFolder(dirname(path));
    const target = join(this.folder, path);
    await mkdir(target).then(
      () => chmod(target, 0o755),
      (error: NodeJS.ErrnoException) => {
        // Two files of one folder may arrive together, and a link to a folder counts as one.
        if (error.code !== "EEXIST") throw error;
      },
    );
    this.#folders.add(path);
  }

  addText(path: string, text: string, mode = 0o644): Promise<void> {
    return this.addBytes(path, Buffer.from(text), mode);
  }

  async addBytes(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    await this.addFolder(dirname(path));
    await writeFile(join(this.folder, path), bytes);
    await chmod(join(this.folder, path), mode);
  }

  async addLink(path: string, target: string): Promise<void> {
    await this.addFolder(dirname(path));
    await symlink(target, join(this.folder, path));
  }

  /** Copies one file; a link is followed, so that an alternative (`/etc/alternatives`) becomes the program itself. */
  async addFile(source: string, path: string, mode: number): Promise<void> {
    await this.addFolder(dirname(path));
    const target = join(this.folder, path);
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, mode);
  }

  /** Copies a folder and what is below it, without the entries that `skip` names by their path on this machine. */
  async addTree(source: string, path: string, skip: (path: string) => boolean = () => false): Promise<void> {
    await this.addFolder(path);
    for (const entry of await readdir(source, { withFileTypes: true })) {
      const from = join(source, entry.name);
      const to = join(path, entry.name);
      if (skip(from)) continue;
      if (entry.isDirectory()) await this.addTree(from, to, skip);
      else if (entry.isSymbolicLink() || entry.isFile()) await this.addFile(from, to, 0o644);
      else throw new Error(`${from} is neither file nor folder, so it cannot be put into an image (${basename(path)})`);
    }
  }
}
