import type { Toolchain } from "../toolchain/index.js";
import { buildImage } from "./image-store.js";
import type { Image } from "./oci-archive.js";

export interface MetallbImages {
  readonly controller: Image;
  readonly speaker: Image;
}

/** MetalLB's two programs are static; like its own images, each holds one of them and starts it. */
export async function metallbImages(toolchain: Toolchain): Promise<MetallbImages> {
  const image = (component: string) =>
    buildImage(`metallb-${component}`, { Entrypoint: [`/${component}`] }, (root) =>
      root.addFile(toolchain.path(`metallb-${component}`), component, 0o755),
    );
  return { controller: await image("controller"), speaker: await image("speaker") };
}
