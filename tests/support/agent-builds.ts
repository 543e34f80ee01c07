import { hostArchitecture } from "../../lab/images/architecture.js";
import { buildImage } from "../../lab/images/image-store.js";
import { agentImage, type Image } from "../../lab/images/index.js";
import { addNodeSystem, systemPath } from "../../lab/images/system.js";
import { createProgress } from "../../lab/index.js";

/** The agent as it is compiled now in an image of another digest: to a cluster it is another build. */
export function otherBuild(): Promise<Image> {
  return agentImage(createProgress(), "0.0.0-other");
}

/** An image whose first process fails at once, each time that it is started. */
export function failingBuild(): Promise<Image> {
  const configuration = { Entrypoint: ["sh", "-c", "echo a build that fails >&2; exit 1"], Env: [systemPath] };
  return buildImage("agent-that-fails", configuration, [
    (root) => addNodeSystem(root, hostArchitecture(), "kept", createProgress()),
  ]);
}
