import type { Lab } from "../lab.js";
import type { Progress } from "../progress.js";
import { type ClusterOptions, clusterUp } from "./cluster.js";
import { metallbUp } from "./metallb.js";
import { workloadUp } from "./workload.js";

/** The cluster with MetalLB and the workload, on a fabric that is up. What is there already stays. */
export async function kubernetesUp(lab: Lab, progress: Progress, options: ClusterOptions = {}): Promise<void> {
  await clusterUp(lab, progress, options);
  // The images of one are loaded while the pods of the other start.
  await Promise.all([metallbUp(lab, progress), workloadUp(lab, progress)]);
}
