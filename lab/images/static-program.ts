import type { Layer } from "./image-store.js";

/** The one layer of an image that holds one static program, in its root folder. */
export function staticProgram(program: string, name: string): Layer {
  return async (root) => {
    await root.addSkeleton();
    await root.addFile(program, name, 0o755);
  };
}
