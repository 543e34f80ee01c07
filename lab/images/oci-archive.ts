import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../processes/run.js";

/** What a container runtime needs to start the image; field names as in the OCI image specification, config.md. */
export interface ImageConfiguration {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
}

/** An image as a file that `ctr images import` takes. */
export interface Image {
  /** Name and tag. The tag comes from the content, so an equal name means an equal image. */
  readonly reference: string;
  /** Absolute path of the OCI archive. */
  readonly archive: string;
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** bytes */
  readonly size: number;
}

/** Enough digits of the image's digest to tell images apart in `kubectl describe`. */
const TAG_DIGITS = 12;

/** Same bytes for the same files, whoever packs them and when. */
const REPRODUCIBLE = ["--format=gnu", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];

/** Go's names of Node's `process.arch`, which OCI uses (image specification, config.md, `architecture`). */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/**
 * Packs folders as an image.
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
  await mkdir(folder, { recursive: true });
  const layout = await mkdtemp(join(folder, "layout."));
  try {
    const blobs = join(layout, "blobs", "sha256");
    await mkdir(blobs, { recursive: true });
    const packed: Descriptor[] = [];
    for (const layer of layers) packed.push(await addLayer(layer, layout, blobs));
    const config = await addBlob(blobs, configMediaType, configBlob(configuration, packed));
    const image = archiveOf(repository, config.digest, folder);
    if (await exists(image.archive)) {
      // Tells whoever clears the folder that this one is in use.
      await utimes(image.archive, new Date(), new Date());
      return image;
    }
    const manifest = await addBlob(blobs, manifestMediaType, manifestBlob(config, packed));
    await writeFile(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    await writeFile(join(layout, "index.json"), indexBlob(manifest, image.reference));
    const unfinished = join(layout, "archive");
    await pack(unfinished, layout, ["oci-layout", "index.json", "blobs"]);
    await rename(unfinished, image.archive);
    return image;
  } finally {
    await rm(layout, { recursive: true, force: true });
  }
}

const configMediaType = "application/vnd.oci.image.config.v1+json";
const layerMediaType = "application/vnd.oci.image.layer.v1.tar";
const manifestMediaType = "application/vnd.oci.image.manifest.v1+json";

/** The image's configuration (config.md). Its digest covers the layers too, which makes it the identity of the image. */
export function configBlob(configuration: ImageConfiguration, layers: readonly Descriptor[]): string {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined)
    throw new Error(`no OCI name is known for the architecture "${process.arch}": the lab runs on x64 and arm64`);
  return JSON.stringify({
    architecture,
    os: "linux",
    config: configuration,
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
    history: layers.map(() => ({ created: "1970-01-01T00:00:00Z" })),
  });
}

/** The image manifest (manifest.md). */
export function manifestBlob(config: Descriptor, layers: readonly Descriptor[]): string {
  return JSON.stringify({ schemaVersion: 2, mediaType: manifestMediaType, config, layers });
}

/** The entry point of the archive (image-index.md). containerd takes the name of the image from its own annotation. */
export function indexBlob(manifest: Descriptor, reference: string): string {
  const annotations = {
    "io.containerd.image.name": reference,
    "org.opencontainers.image.ref.name": reference.slice(reference.lastIndexOf(":") + 1),
  };
  return JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] });
}

function archiveOf(repository: string, configDigest: string, folder: string): Image {
  const tag = configDigest.slice("sha256:".length).slice(0, TAG_DIGITS);
  const name = repository.slice(repository.lastIndexOf("/") + 1);
  return { reference: `${repository}:${tag}`, archive: join(folder, `${name}-${tag}.tar`) };
}

async function addLayer(root: string, layout: string, blobs: string): Promise<Descriptor> {
  const unnamed = join(layout, "layer");
  await pack(unnamed, root, ["."]);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(unnamed, { highWaterMark: 1 << 20 })) hash.update(chunk);
  const digest = hash.digest("hex");
  const { size } = await stat(unnamed);
  await rename(unnamed, join(blobs, digest));
  return { mediaType: layerMediaType, digest: `sha256:${digest}`, size };
}

async function addBlob(blobs: string, mediaType: string, content: string): Promise<Descriptor> {
  const digest = createHash("sha256").update(content).digest("hex");
  await writeFile(join(blobs, digest), content);
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(content) };
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
