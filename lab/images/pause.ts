import type { Toolchain } from "../toolchain/index.js";
import { buildImage } from "./image-store.js";
import type { Image } from "./oci-archive.js";
import { staticProgram } from "./static-program.js";

/** The process that holds a pod's namespaces. */
export function pauseImage(toolchain: Toolchain): Promise<Image> {
  return buildImage("pause", { Entrypoint: ["/pause"] }, [staticProgram(toolchain.path("pause"), "pause")]);
}
