import type { Toolchain } from "../toolchain/index.js";
import { buildImage } from "./image-store.js";
import type { Image } from "./oci-archive.js";
import { staticProgram } from "./static-program.js";

export interface MetallbImages {
  readonly controller: Image;
  readonly speaker: Image;
}

/** MetalLB's two programs are static; like its own images, each holds one of them and starts it. */
export async function metallbImages(toolchain: Toolchain): Promise<MetallbImages> {
  const image = (component: string) => {
    const program = staticProgram(toolchain.path(`metallb-${component}`), component);
    return buildImage(`metallb-${component}`, { Entrypoint: [`/${component}`] }, [program]);
  };
  const [controller, speaker] = await Promise.all([image("controller"), image("speaker")]);
  return { controller, speaker };
}
