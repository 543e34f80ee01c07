import { delimiter } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./kubernetes/connect.js";
import { connect } from "./kubernetes/connect.js";
import {
  type ClusterReference,
  credentialSources,
  kubeconfigKey,
  kubeconfigVariable,
} from "./kubernetes/credential-source.js";

/** The provider's surroundings: everything that is not a pure function of its arguments. */
export interface Environment {
  /**
   * Connects to the cluster of a resource.
   * @param heldBy whether the program or the state names the cluster
   * @param clusterUid uid of the cluster in which the state was made
   * @throws KubernetesError when no credentials lead there
   */
  connect(reference: ClusterReference, heldBy: "program" | "state", clusterUid?: string): Promise<Connection>;
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** One line for the person who waits: the engine shows what the provider process prints. */
  log(line: string): void;
  /** As `log`, but of what several resources meet alike: only the first line about a subject. */
  logOnce(subject: string, line: string): void;
}

/** Says one line about each subject, as long as the process lives: one run of one program. */
export function sayingOnce(log: Environment["log"]): Environment["logOnce"] {
  const said = new Set<string>();
  return (subject, line) => {
    if (said.has(subject)) return;
    said.add(subject);
    log(line);
  };
}

/** Reads a value of the stack configuration; keys carry their namespace. */
export type StackConfiguration = (key: string) => string | undefined;

/** The real surroundings: the process's own environment, clock and output. */
export function processEnvironment(stackConfiguration: StackConfiguration): Environment {
  const log = (line: string) => console.log(line);
  return {
    connect(reference, heldBy, clusterUid) {
      const stackKubeconfig = stackConfiguration(kubeconfigKey);
      const environmentKubeconfig = process.env[kubeconfigVariable];
      const surroundings = {
        ...(stackKubeconfig === undefined ? {} : { stackKubeconfig }),
        ...(environmentKubeconfig === undefined ? {} : { environmentKubeconfig }),
      };
      return connect(credentialSources(reference, heldBy, surroundings, delimiter), clusterUid, heldBy);
    },
    now: Date.now,
    sleep: (ms) => sleep(ms),
    log,
    logOnce: sayingOnce(log),
  };
}
