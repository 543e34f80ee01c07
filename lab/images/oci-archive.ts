import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../processes/run.js";
import { type Architecture, hostArchitecture } from "./architecture.js";
import {
  configBlob,
  type Descriptor,
  entryBlob,
  type ImageConfiguration,
  manifestBlob,
  mediaType,
  type PlatformDescriptor,
  platformIndexBlob,
} from "./oci-documents.js";

/** An image as a file that `ctr images import` takes. */
export interface Image {
  /** Name and tag. The tag comes from the content, so an equal name means an equal image. */
  readonly reference: string;
  /** Absolute path of the OCI archive. */
  readonly archive: string;
}

/** An image of one processor in an unfinished archive. */
export interface PackedPlatform {
  readonly architecture: Architecture;
  readonly config: Descriptor;
  readonly manifest: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Enough digits of the image's digest to tell images apart in `kubectl describe`. */
const TAG_DIGITS = 12;

/** Same bytes for the same files, whoever packs them and when. */
const REPRODUCIBLE = ["--format=gnu", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];

/**
 * Packs folders as an image for this machine.
 *
 * @param repository name without tag
 * @param layers folders that make up the image's `/`, each over the ones before; owner and times of files are dropped,
 *   modes are kept
 * @param folder where archives are kept; an archive of the same content is reused
 */
export async function writeOciArchive(
  repository: string,
  layers: readonly string[],
  configuration: ImageConfiguration,
  folder: string,
): Promise<Image> {
  return inLayout(folder, async (layout) => {
    const packed = await packPlatform(layout, hostArchitecture(), layers, configuration);
    const image = archiveOf(repository, packed.config.digest, folder);
    if (await exists(image.archive)) {
      // Tells whoever clears the folder that this one is in use.
      await utimes(image.archive, new Date(), new Date());
    } else {
      await finishArchive(layout, [packed], image.reference, image.archive);
    }
    return image;
  });
}

/** Makes the unfinished content of an archive in a temporary folder, hands it to `use` and removes it afterwards. */
export async function inLayout<T>(parent: string, use: (layout: string) => Promise<T>): Promise<T> {
  await mkdir(parent, { recursive: true });
  const layout = await mkdtemp(join(parent, "layout."));
  try {
    await mkdir(blobsOf(layout), { recursive: true });
    return await use(layout);
  } finally {
    await rm(layout, { recursive: true, force: true });
  }
}

/** Adds the image of one processor to an unfinished archive; parameters as of {@link writeOciArchive}. */
export async function packPlatform(
  layout: string,
  architecture: Architecture,
  folders: readonly string[],
  configuration: ImageConfiguration,
): Promise<PackedPlatform> {
  const layers: Descriptor[] = [];
  for (const folder of folders) layers.push(await addLayer(layout, folder));
  const config = await addBlob(layout, mediaType.config, configBlob(architecture, configuration, layers));
  const manifestText = manifestBlob(config, layers, configuration.Labels);
  const manifest = await addBlob(layout, mediaType.manifest, manifestText);
  return { architecture, config, manifest, layers };
}

/**
 * Writes the archive, complete or not at all.
 *
 * @returns digest of the image: of its manifest, or of its index where it is for several processors
 */
export async function finishArchive(
  layout: string,
  platforms: readonly PackedPlatform[],
  reference: string,
  archive: string,
): Promise<string> {
  const image = await imageOf(layout, platforms);
  await writeFile(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeFile(join(layout, "index.json"), entryBlob(image, reference));
  await mkdir(dirname(archive), { recursive: true });
  const unfinished = `${archive}.partial-${process.pid}`;
  try {
    await pack(unfinished, layout, ["oci-layout", "index.json", "blobs"]);
    await rename(unfinished, archive);
  } finally {
    await rm(unfinished, { force: true });
  }
  return image.digest;
}

async function imageOf(layout: string, platforms: readonly PackedPlatform[]): Promise<Descriptor> {
  const manifests = platforms.map(
    ({ architecture, manifest }): PlatformDescriptor => ({ ...manifest, platform: { architecture, os: "linux" } }),
  );
  const [only, another] = manifests;
  if (only !== undefined && another === undefined) return only;
  return addBlob(layout, mediaType.index, platformIndexBlob(manifests));
}

function archiveOf(repository: string, configDigest: string, folder: string): Image {
  const tag = configDigest.slice("sha256:".length).slice(0, TAG_DIGITS);
  const name = repository.slice(repository.lastIndexOf("/") + 1);
  return { reference: `${repository}:${tag}`, archive: join(folder, `${name}-${tag}.tar`) };
}

function blobsOf(layout: string): string {
  return join(layout, "blobs", "sha256");
}

async function addLayer(layout: string, root: string): Promise<Descriptor> {
  const unnamed = join(layout, "layer");
  await pack(unnamed, root, ["."]);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(unnamed, { highWaterMark: 1 << 20 })) hash.update(chunk);
  const digest = hash.digest("hex");
  const { size } = await stat(unnamed);
  await rename(unnamed, join(blobsOf(layout), digest));
  return { mediaType: mediaType.layer, digest: `sha256:${digest}`, size };
}

async function addBlob(layout: string, type: string, content: string): Promise<Descriptor> {
  const digest = createHash("sha256").update(content).digest("hex");
  await writeFile(join(blobsOf(layout), digest), content);
  return { mediaType: type, digest: `sha256:${digest}`, size: Buffer.byteLength(content) };
}

async function pack(archive: string, folder: string, entries: readonly string[]): Promise<void> {
  await run(["tar", ...REPRODUCIBLE, "--create", "--file", archive, "--directory", folder, ...entries]);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
