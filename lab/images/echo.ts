import { join } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { createProgress } from "../progress.js";
import { hostArchitecture } from "./architecture.js";
import { buildImage } from "./image-store.js";
import type { Image } from "./oci-archive.js";
import { addNodeSystem, systemPath } from "./system.js";

/** The workload's image: the server that `echo-server.ts` describes, on the first layer of the agent's image. */
export function echoImage(): Promise<Image> {
  const configuration = { Entrypoint: ["node", "/app/echo-server.js"], Env: [systemPath] };
  const server = join(repositoryRoot, "dist/lab/images/echo-server.js");
  return buildImage("echo", configuration, [
    (root) => addNodeSystem(root, hostArchitecture(), "kept", createProgress()),
    (root) => root.addFile(server, "app/echo-server.js", 0o644),
  ]);
}
