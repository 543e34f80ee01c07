import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { clusterDown, kubernetesUp } from "./cluster/index.js";
import { fabricRepair, fabricUp } from "./fabric/index.js";
import { Isolation } from "./isolation/index.js";
import { type Lab, openLab } from "./lab.js";
import type { Progress } from "./progress.js";
import { recordStage, stageOf } from "./stage.js";
import { isHealthy } from "./status/index.js";
import { withFileLock } from "./toolchain/file-lock.js";

export interface LabUpOptions {
  /** `false`: only the fabric, which takes two seconds. */
  readonly kubernetes?: boolean;
}

/**
 * Makes a lab, or takes the one that is there: what does not run of it is started, and one that was left half made is made
 * again from nothing.
 *
 * @throws When a part does not come up. What has come up stays, to be looked at, until the next `labUp` or `labDown`.
 */
export async function labUp(name: string, progress: Progress, options: LabUpOptions = {}): Promise<Lab> {
  const lab = openLab(name);
  await locked(lab, progress, async () => {
    if (stageOf(lab) === "nothing") {
      await remove(lab);
      await makeFabric(lab, progress);
    } else {
      await fabricRepair(lab);
    }
    if (options.kubernetes !== false) await makeKubernetes(lab, progress);
  });
  return lab;
}

/** Ends every process and namespace of a lab and removes what it kept on disk. Does nothing more when it is down already. */
export async function labDown(name: string, progress?: Progress): Promise<void> {
  const lab = openLab(name);
  await locked(lab, progress, () => remove(lab));
}

async function makeFabric(lab: Lab, progress: Progress): Promise<void> {
  await progress.step(`lab "${lab.name}": own namespaces`, () => Isolation.start(lab.stateDirectory));
  await fabricUp(lab, progress);
  await recordStage(lab, "fabric");
}

async function makeKubernetes(lab: Lab, progress: Progress): Promise<void> {
  const wasWhole = stageOf(lab) === "kubernetes";
  if (wasWhole && (await isHealthy(lab))) return;
  // A cluster that is interrupted in its first start is made again; one that was whole is only repaired.
  if (!wasWhole) await recordStage(lab, "nothing");
  await kubernetesUp(lab, progress);
  await recordStage(lab, "kubernetes");
}

async function remove(lab: Lab): Promise<void> {
  await Isolation.find(lab.stateDirectory)?.end();
  await clusterDown(lab);
  await rm(lab.stateDirectory, { recursive: true, force: true });
}

/** Outside the state directory, which comes and goes with the lab; the empty file stays. */
async function locked(lab: Lab, progress: Progress | undefined, work: () => Promise<void>): Promise<void> {
  const folder = join(lab.stateDirectory, "..");
  await mkdir(folder, { recursive: true });
  const onWait = () => progress?.note(`another run makes or ends lab "${lab.name}": waiting for it`);
  await withFileLock(join(folder, `${lab.name}.lock`), onWait, work);
}
