import { join } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { buildImage } from "./image-store.js";
import { nodePrograms } from "./node-programs.js";
import type { Image } from "./oci-archive.js";

/** The workload's image: the server that `echo-server.ts` describes. */
export function echoImage(): Promise<Image> {
  const configuration = { Entrypoint: ["node", "/app/echo-server.js"], Env: ["PATH=/usr/sbin:/usr/bin"] };
  const server = join(repositoryRoot, "dist/lab/images/echo-server.js");
  return buildImage("echo", configuration, [nodePrograms, (root) => root.addFile(server, "app/echo-server.js", 0o644)]);
}
