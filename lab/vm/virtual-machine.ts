import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { cacheDirectory } from "../bootstrap/cache-directory.mjs";
import type { Progress } from "../progress.js";
import { ensureInitramfs } from "./initramfs.js";
import { fetchKernel, type Kernel, unpackedKernel } from "./kernel.js";

/** Where Debian 12 installs it; package qemu-system-common. */
export const VIRTIOFSD = "/usr/lib/qemu/virtiofsd";

/** Programs that make and run the machine, each with its Debian package. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "qemu-system-x86_64": "qemu-system-x86",
  [VIRTIOFSD]: "qemu-system-common",
  "/bin/busybox": "busybox-static",
  cpio: "cpio",
  modprobe: "kmod",
  depmod: "kmod",
  unshare: "util-linux",
};

/** Everything that it takes to run a command on another kernel; made by {@link ensureVm}. */
export interface VirtualMachine {
  readonly kernel: Kernel;
  readonly initramfs: string;
  readonly qemu: string;
  /** Folder below the cache for the kernel, the initramfs and the files of running machines. */
  readonly directory: string;
}

/**
 * Makes a virtual machine with Debian's cloud kernel ready, for kernel features that the machine's own kernel may lack
 * (8021q, bonding, bridge vlan_filtering, vrf, ip_vs). Fetches the kernel once; later calls take some milliseconds.
 *
 * @throws naming the missing program and its package, or apt's answer.
 */
export async function ensureVm(progress: Progress): Promise<VirtualMachine> {
  const directory = join(cacheDirectory(), "vm");
  const missing = await missingPackages();
  if (missing.length > 0) {
    throw new Error(
      `the virtual machine needs Debian packages that are not installed: run apt-get install ${missing.join(" ")}`,
    );
  }
  const kernel =
    (await unpackedKernel(directory)) ??
    (await progress.step("fetching Debian's cloud kernel for the virtual machine", () => fetchKernel(directory)));
  return { kernel, initramfs: await ensureInitramfs(kernel, directory), qemu: "qemu-system-x86_64", directory };
}

async function missingPackages(): Promise<readonly string[]> {
  const path = (process.env.PATH ?? "").split(delimiter);
  const packages = new Set<string>();
  for (const [program, debianPackage] of Object.entries(PROGRAMS)) {
    const candidates = program.startsWith("/") ? [program] : path.map((folder) => join(folder, program));
    const found = await Promise.all(
      candidates.map((candidate) =>
        access(candidate).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (!found.includes(true)) packages.add(debianPackage);
  }
  return [...packages];
}
