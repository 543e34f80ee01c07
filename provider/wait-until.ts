import type { Environment } from "./environment.js";
import { KubernetesError } from "./kubernetes/kubernetes-error.js";

/** How often the cluster is asked; an agent applies a network within a second or two. */
const pollIntervalMs = 1_000;

/** What one look at the cluster found. `progress` is a line for people; it is printed when it changes. */
export type Look<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly progress: string };

export type Waited<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly last: string };

/**
 * Looks again and again until it is done or the deadline has passed. An API server that is away for a moment (a
 * restart, a failover) does not end the wait; other errors do.
 */
export async function waitUntil<T>(
  environment: Environment,
  deadlineMs: number,
  look: () => Promise<Look<T>>,
): Promise<Waited<T>> {
  const end = environment.now() + deadlineMs;
  let last = "";
  for (;;) {
    const found = await look().catch((error: unknown): Look<T> => {
      if (error instanceof KubernetesError && (error.kind === "unreachable" || error.kind === "busy"))
        return { done: false, progress: error.message };
      throw error;
    });
    if (found.done) return found;
    if (found.progress !== last) environment.log(found.progress);
    last = found.progress;
    if (environment.now() >= end) return { done: false, last };
    await environment.sleep(pollIntervalMs);
  }
}
