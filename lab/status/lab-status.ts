import { type BgpNeighbor, bgpNeighbors } from "../fabric/index.js";
import { Isolation } from "../isolation/index.js";
import type { Lab } from "../lab.js";
import { type Stage, stageOf } from "../stage.js";
import { type ReflectorName, reflectorNames } from "../topology.js";
import { type KubernetesStatus, kubernetesStatus } from "./kubernetes-status.js";
import { type PlaceStatus, placeStatuses } from "./place-status.js";
import { type ProcessStatus, processStatuses } from "./process-status.js";

/** A part that could not be asked, and why. */
export interface Unknown {
  readonly error: string;
}

export interface ReflectorStatus {
  readonly name: ReflectorName;
  readonly neighbors: readonly BgpNeighbor[] | Unknown;
}

export interface LabStatus {
  readonly name: string;
  readonly stateDirectory: string;
  /** Its processes are there; `stage` tells whether it is whole. */
  readonly up: boolean;
  readonly stage: Stage;
  readonly places: readonly PlaceStatus[];
  readonly processes: readonly ProcessStatus[];
  readonly reflectors: readonly ReflectorStatus[];
  /** `undefined` when the lab has no Kubernetes. */
  readonly kubernetes: KubernetesStatus | Unknown | undefined;
}

/** What a lab has now. A part that does not answer is reported as such and keeps nothing else from being reported. */
export async function labStatus(lab: Lab): Promise<LabStatus> {
  const { name, stateDirectory } = lab;
  const stage = stageOf(lab);
  if (Isolation.find(stateDirectory) === undefined) {
    return { name, stateDirectory, up: false, stage, places: [], processes: [], reflectors: [], kubernetes: undefined };
  }
  const [places, reflectors, kubernetes] = await Promise.all([
    placeStatuses(lab),
    Promise.all(reflectorNames.map(async (reflector) => reflectorStatus(lab, reflector))),
    stage === "kubernetes" ? orUnknown(() => kubernetesStatus(lab)) : undefined,
  ]);
  return { name, stateDirectory, up: true, stage, places, processes: processStatuses(lab), reflectors, kubernetes };
}

async function reflectorStatus(lab: Lab, name: ReflectorName): Promise<ReflectorStatus> {
  return { name, neighbors: await orUnknown(() => bgpNeighbors(lab, name)) };
}

async function orUnknown<T>(ask: () => Promise<T>): Promise<T | Unknown> {
  try {
    return await ask();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
