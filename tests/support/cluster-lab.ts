import { loadImage } from "../../lab/cluster/index.js";
import { agentImage } from "../../lab/images/index.js";
import { createProgress, type Lab, labUp } from "../../lab/index.js";

/**
 * The lab of the cluster suite. Its files run one after the other, each in a process of its own; the first that asks makes the
 * lab, the others find it. Whoever runs the suite ends it: `npm run lab -- --lab test down`.
 */
export const CLUSTER_LAB = "test";

let shared: Promise<Lab> | undefined;

/** The suite's lab with fabric, Kubernetes, MetalLB and the workload, made where it is missing or incomplete. */
export function clusterLab(): Promise<Lab> {
  shared ??= labUp(CLUSTER_LAB, createProgress());
  return shared;
}

/** Brings the agent as it is compiled now onto the nodes; returns the reference of its image. */
export async function agentInLab(lab: Lab): Promise<string> {
  const image = await agentImage();
  await loadImage(lab, image);
  return image.reference;
}
