import { join } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { buildImage } from "./image-store.js";
import { addNodePrograms } from "./node-programs.js";
import type { Image } from "./oci-archive.js";

/** The workload's image: the server that `echo-server.ts` describes. */
export function echoImage(): Promise<Image> {
  const configuration = { Entrypoint: ["node", "/app/echo-server.js"], Env: ["PATH=/usr/sbin:/usr/bin"] };
  return buildImage("echo", configuration, async (root) => {
    await addNodePrograms(root);
    await root.addFile(join(repositoryRoot, "dist/lab/images/echo-server.js"), "app/echo-server.js", 0o644);
  });
}
