import type { Image } from "../images/index.js";
import type { Lab } from "../lab.js";
import { type NodeName, nodeNames } from "../topology.js";

/** containerd's namespace for what the kubelet sees. */
const CTR = ["ctr", "--namespace", "k8s.io"];

/** Brings an image onto nodes that do not have it yet. Its reference names its content, so equal references are equal. */
export async function loadImage(lab: Lab, image: Image, nodes: readonly NodeName[] = nodeNames): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      const { stdout } = await lab.exec(node, [...CTR, "images", "list", "--quiet", `name==${image.reference}`]);
      if (stdout.trim() !== image.reference) await lab.exec(node, [...CTR, "images", "import", image.archive]);
    }),
  );
}
