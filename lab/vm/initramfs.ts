import { createHash } from "node:crypto";
import { access, chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { run } from "../processes/run.js";
import type { Kernel } from "./kernel.js";

/** What it takes to reach the machine's root and the output ports; everything else is loaded from there on demand. */
const BOOT_MODULES = ["virtio_pci", "virtio_console", "virtiofs", "overlay"];

/** Statically linked, so that it runs before there is a root with libraries (package busybox-static). */
const BUSYBOX = "/bin/busybox";

const GUEST_INIT = join(repositoryRoot, "lab", "vm", "guest-init.sh");

/**
 * Makes the initial root of the guest below `directory` unless it is there: busybox, our init and the boot modules.
 *
 * @returns path of the cpio archive; its name carries a hash of what it was made from.
 */
export async function ensureInitramfs(kernel: Kernel, directory: string): Promise<string> {
  const modules = await bootModules(kernel);
  const hash = createHash("sha256").update(JSON.stringify([kernel.release, modules]));
  hash.update(await readFile(GUEST_INIT)).update(await readFile(BUSYBOX));
  const archive = join(directory, `initramfs-${hash.digest("hex").slice(0, 16)}.cpio`);
  if (await exists(archive)) return archive;

  const temporary = await mkdtemp(join(directory, "initramfs-"));
  try {
    const root = join(temporary, "root");
    for (const folder of ["bin", "dev", "lower", "modules", "new", "proc", "sys", "writes"]) {
      await mkdir(join(root, folder), { recursive: true });
    }
    await copyFile(BUSYBOX, join(root, "bin", "busybox"));
    await copyFile(GUEST_INIT, join(root, "init"));
    await chmod(join(root, "init"), 0o755);
    for (const module of modules) await copyFile(module, join(root, "modules", basename(module)));
    await writeFile(join(root, "modules", "order"), modules.map((module) => `${basename(module)}\n`).join(""));
    const files = (await run(["find", "."], { cwd: root })).stdout;
    await run(["cpio", "--create", "--format=newc", "--quiet", "--file", join(temporary, "archive")], {
      cwd: root,
      input: files,
    });
    await rename(join(temporary, "archive"), archive);
    return archive;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Files of the boot modules and of what they need, each after those that it needs. */
async function bootModules(kernel: Kernel): Promise<readonly string[]> {
  const files = new Set<string>();
  for (const module of BOOT_MODULES) {
    const { stdout } = await run(["modprobe", "-d", kernel.root, "-S", kernel.release, "--show-depends", module]);
    for (const line of stdout.split("\n")) {
      const file = /^insmod (\S+)/.exec(line)?.[1];
      if (file !== undefined) files.add(file);
    }
  }
  return [...files];
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
