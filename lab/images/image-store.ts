import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../bootstrap/cache-directory.mjs";
import { type Image, writeOciArchive } from "./oci-archive.js";
import type { ImageConfiguration } from "./oci-documents.js";
import { RootFilesystem } from "./root-filesystem.js";

/** Of no registry, so that a forgotten `imagePullPolicy` fails at once instead of pulling something else. */
const REGISTRY = "vlan-router.local";

/** An archive that nobody built or used for a day belongs to an older state of the sources. */
const UNUSED_MS = 24 * 3600 * 1000;

/** Where archives are kept, outside the repository and any lab. */
export function imageFolder(): string {
  return join(cacheDirectory(), "images");
}

/** Fills one layer of an image. */
export type Layer = (root: RootFilesystem) => Promise<unknown>;

/**
 * Assembles an image from files of this machine; equal content gives an equal reference and is written once.
 *
 * @param name last part of the repository's name
 */
export async function buildImage(
  name: string,
  configuration: ImageConfiguration,
  layers: readonly Layer[],
): Promise<Image> {
  const folder = imageFolder();
  const image = await assemble(layers, (folders) =>
    writeOciArchive(`${REGISTRY}/${name}`, folders, configuration, folder),
  );
  await removeUnused(folder);
  return image;
}

/** Fills the layers, each in a temporary folder, and hands the folders to `use`. */
export async function assemble<T>(
  [layer, ...rest]: readonly Layer[],
  use: (folders: readonly string[]) => Promise<T>,
  filled: readonly string[] = [],
): Promise<T> {
  if (layer === undefined) return use(filled);
  return RootFilesystem.with(async (root) => {
    await layer(root);
    return assemble(rest, use, [...filled, root.folder]);
  });
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
