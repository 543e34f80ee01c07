import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Index {
  readonly manifests: readonly { readonly digest: string; readonly platform?: { readonly architecture: string } }[];
}

/** An unpacked OCI archive (image-layout.md). */
export class ImageLayout {
  constructor(
    archive: string,
    readonly folder: string,
  ) {
    mkdirSync(folder, { recursive: true });
    execFileSync("tar", ["--extract", "--file", archive, "--directory", folder]);
  }

  /** Digest of what index.json names. */
  get digest(): string {
    return (JSON.parse(readFileSync(join(this.folder, "index.json"), "utf8")) as Index).manifests[0]?.digest ?? "";
  }

  /** Manifests of the image's processors. */
  platforms(): Readonly<Record<string, Manifest>> {
    const { manifests } = this.#document<Index>(this.digest);
    return Object.fromEntries(
      manifests.map(({ digest, platform }) => [platform?.architecture, this.#document<Manifest>(digest)]),
    );
  }

  config<T>({ config }: Manifest): T {
    return this.#document<T>(config.digest);
  }

  /** Puts the layers over each other. */
  unpack({ layers }: Manifest, root: string): void {
    mkdirSync(root, { recursive: true });
    for (const { digest } of layers) {
      execFileSync("tar", ["--extract", "--file", this.#blob(digest), "--directory", root]);
    }
  }

  #blob(digest: string): string {
    return join(this.folder, "blobs", "sha256", digest.slice("sha256:".length));
  }

  #document<T>(digest: string): T {
    return JSON.parse(readFileSync(this.#blob(digest), "utf8")) as T;
  }
}
