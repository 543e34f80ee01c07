import type * as kubernetes from "@pulumi/kubernetes";
import { agentNamespace } from "../model/index.js";
import { objectLabels } from "./object-labels.js";
import { takenBack } from "./taken-back.js";

/**
 * Host network and host paths need the Pod Security level `privileged`; under a stricter default the pods would be
 * refused without any sign in the DaemonSet's own conditions (metallb/metallb#1457).
 */
export function namespace(): kubernetes.types.input.core.v1.Namespace {
  return {
    metadata: {
      name: agentNamespace,
      // A pod of a node that is away would hold its deletion for ten minutes: NodeReports waits instead, and sees to it.
      annotations: { ...takenBack, "pulumi.com/skipAwait": "true" },
      labels: {
        ...objectLabels,
        "pod-security.kubernetes.io/enforce": "privileged",
        "pod-security.kubernetes.io/audit": "privileged",
        "pod-security.kubernetes.io/warn": "privileged",
      },
    },
  };
}
