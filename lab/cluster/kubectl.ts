import type { Lab } from "../lab.js";
import type { RunOptions } from "../processes/index.js";
import { locateToolchain } from "../toolchain/index.js";

/** An object as the API server takes it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Runs kubectl as the cluster's administrator and returns what it prints. */
export async function kubectl(lab: Lab, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return (await lab.admin([locateToolchain().path("kubectl"), ...args], options)).stdout;
}

/** Reads one object or a list of them. */
export async function kubectlGet<T>(lab: Lab, args: readonly string[]): Promise<T> {
  return JSON.parse(await kubectl(lab, ["get", ...args, "--output=json"])) as T;
}

/** Creates or changes the objects, server-side. */
export async function kubectlApply(lab: Lab, objects: readonly KubernetesObject[]): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  await kubectl(lab, ["apply", "--server-side", "--force-conflicts", "--filename=-"], { input: JSON.stringify(list) });
}

/** Waits until all pods of a Deployment or DaemonSet are of its current version and ready. */
export async function waitForRollout(lab: Lab, namespace: string, workload: string, seconds: number): Promise<void> {
  await kubectl(lab, [`--namespace=${namespace}`, "rollout", "status", workload, `--timeout=${seconds}s`]);
}
