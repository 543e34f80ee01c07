import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../processes/run.js";

/**
 * Names the newest kernel of Debian's release by its dependency. The cloud flavour is the smallest one with 8021q, bonding,
 * vxlan, vlan-aware bridges, vrf, ip_vs and virtiofs (the generic one is four times its size).
 */
const KERNEL_METAPACKAGE = "linux-image-cloud-amd64";

/** A Debian kernel, unpacked. */
export interface Kernel {
  /** As `uname -r` prints it, e.g. `6.1.0-57-cloud-amd64`. */
  readonly release: string;
  /** Root of the unpacked package: holds `boot` and `lib/modules`. */
  readonly root: string;
  readonly image: string;
  /** Path of `lib/modules`. */
  readonly modules: string;
}

/** The kernel that an earlier run unpacked below `directory`; a kernel stays until that folder is removed. */
export async function unpackedKernel(directory: string): Promise<Kernel | undefined> {
  const entries = await readdir(directory).catch(() => []);
  const newest = entries
    .filter((entry) => entry.startsWith("linux-image-"))
    .sort(new Intl.Collator("en", { numeric: true }).compare)
    .at(-1);
  return newest === undefined ? undefined : kernelAt(join(directory, newest));
}

/**
 * Downloads Debian's current cloud kernel and unpacks it below `directory`, without installing it.
 *
 * @throws when apt does not know the package or cannot fetch it; the message says what to run.
 */
export async function fetchKernel(directory: string): Promise<Kernel> {
  const packageName = parseKernelDependency((await run(["apt-cache", "depends", KERNEL_METAPACKAGE])).stdout);
  if (packageName === undefined) {
    throw new Error(
      `apt names no kernel for ${KERNEL_METAPACKAGE}: its package lists are missing or are not Debian's for amd64; run apt-get update`,
    );
  }
  await mkdir(directory, { recursive: true });
  const temporary = await mkdtemp(join(directory, "download-"));
  try {
    // The download runs as root: apt's own user may not enter a cache below somebody's home.
    await run(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", packageName], { cwd: temporary });
    const archive = (await readdir(temporary)).find((entry) => entry.endsWith(".deb"));
    if (archive === undefined) throw new Error(`apt-get download ${packageName} left no .deb file in ${temporary}`);
    const unpacked = join(temporary, "root");
    await run(["dpkg-deb", "-x", join(temporary, archive), unpacked]);
    const { release } = await kernelAt(unpacked);
    await run(["depmod", "-b", unpacked, release]);

    // Renaming last makes it whole or absent; when another process was faster, its copy is as good.
    const destination = join(directory, archive.replace(/\.deb$/, ""));
    await rename(unpacked, destination).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    return await kernelAt(destination);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The versioned kernel package in what `apt-cache depends` prints. */
export function parseKernelDependency(text: string): string | undefined {
  return /^\s*Depends: (linux-image-\d\S*)$/m.exec(text)?.[1];
}

async function kernelAt(root: string): Promise<Kernel> {
  const modules = join(root, "lib", "modules");
  const [release] = await readdir(modules);
  if (release === undefined) throw new Error(`${modules} is empty: remove ${root} and run again`);
  const image = join(root, "boot", `vmlinuz-${release}`);
  await access(image);
  return { release, root, image, modules };
}
