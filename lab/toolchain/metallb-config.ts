import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { downloadModule, type GoCommand } from "./go-command.js";
import { metallbConfig } from "./tools.js";

/** Folder name in the toolchain's cache. */
export const metallbConfigFolder = `metallb-config-${metallbConfig.module.version}`;

/**
 * Copies MetalLB's manifests and CRDs out of its module, so that a warm cache needs no Go and survives `go clean -modcache`.
 *
 * @param scratch folder that belongs to this work alone
 */
export async function copyMetallbConfig(target: string, scratch: string, go: GoCommand): Promise<void> {
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  const { Dir } = await downloadModule(go, metallbConfig.module, join(scratch, "download.log"), scratch);
  const partial = join(scratch, metallbConfig.folder);
  await cp(join(Dir, metallbConfig.folder), partial, { recursive: true });
  await rename(partial, target);
  await rm(scratch, { recursive: true, force: true });
}
