import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../bootstrap/cache-directory.mjs";
import { type Image, type ImageConfiguration, writeOciArchive } from "./oci-archive.js";
import { RootFilesystem } from "./root-filesystem.js";

/** Of no registry, so that a forgotten `imagePullPolicy` fails at once instead of pulling something else. */
const REGISTRY = "vlan-router.local";

/** An archive that nobody built or used for a day belongs to an older state of the sources. */
const UNUSED_MS = 24 * 3600 * 1000;

/**
 * Assembles an image from files of this machine; equal content gives an equal reference and is written once.
 *
 * @param name last part of the repository's name
 */
export async function buildImage(
  name: string,
  configuration: ImageConfiguration,
  assemble: (root: RootFilesystem) => Promise<void>,
): Promise<Image> {
  const folder = join(cacheDirectory(), "images");
  const image = await RootFilesystem.with(async (root) => {
    await assemble(root);
    return writeOciArchive(`${REGISTRY}/${name}`, root.folder, configuration, folder);
  });
  await removeUnused(folder);
  return image;
}

async function removeUnused(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another run may have removed it first.
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > UNUSED_MS) await rm(path, { recursive: true, force: true });
  }
}
