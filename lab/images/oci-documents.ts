import type { Architecture } from "./architecture.js";

/** What a container runtime needs to start the image; field names as in the OCI image specification, config.md. */
export interface ImageConfiguration {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** bytes */
  readonly size: number;
}

/** What an image index says of a manifest (image-index.md, `platform`). */
export interface PlatformDescriptor extends Descriptor {
  readonly platform: { readonly architecture: Architecture; readonly os: "linux" };
}

export const mediaType = {
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
} as const;

/** The image's configuration (config.md). Its digest covers the layers too, which makes it the identity of the image. */
export function configBlob(
  architecture: Architecture,
  configuration: ImageConfiguration,
  layers: readonly Descriptor[],
): string {
  return JSON.stringify({
    architecture,
    os: "linux",
    config: configuration,
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
    history: layers.map(() => ({ created: "1970-01-01T00:00:00Z" })),
  });
}

/** The image manifest (manifest.md). Registries show its annotations without fetching the configuration. */
export function manifestBlob(
  config: Descriptor,
  layers: readonly Descriptor[],
  annotations: Readonly<Record<string, string>> | undefined,
): string {
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: mediaType.manifest,
    config,
    layers,
    ...(annotations === undefined ? {} : { annotations }),
  });
}

/** One image for several processors (image-index.md). */
export function platformIndexBlob(manifests: readonly PlatformDescriptor[]): string {
  return JSON.stringify({ schemaVersion: 2, mediaType: mediaType.index, manifests });
}

/** The entry point of the archive (image-layout.md, index.json). containerd takes the name of the image from its own annotation. */
export function entryBlob(image: Descriptor, reference: string): string {
  const annotations = {
    "io.containerd.image.name": reference,
    "org.opencontainers.image.ref.name": reference.slice(reference.lastIndexOf(":") + 1),
  };
  return JSON.stringify({ schemaVersion: 2, manifests: [{ ...image, annotations }] });
}
