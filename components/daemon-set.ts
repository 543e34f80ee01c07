import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { agentNamespace, agentRuntimeDirectory, agentStateDirectory, passwordDirectory } from "../model/index.js";
import { objectLabels, selectorLabels } from "./object-labels.js";
import { agentServiceAccount } from "./rbac.js";
import { takenBack } from "./taken-back.js";

export interface DaemonSetArgs {
  /** The agent's image, best with its digest; an air-gapped cluster names its own registry here. */
  readonly image: pulumi.Input<string>;
  readonly imagePullPolicy?: pulumi.Input<string> | undefined;
  /** Names of Secrets in the agent's namespace. */
  readonly imagePullSecrets?: readonly pulumi.Input<string>[];
  readonly metallbNamespace?: pulumi.Input<string>;
  /**
   * Name of a Secret in the agent's namespace with the passwords of BGP sessions, which the kubelet hands to the agents as
   * files: they need no permission to read Secrets. It may come later. Defaults to none.
   */
  readonly bgpPasswordSecret?: pulumi.Input<string>;
}

/** Writable part of /proc/sys: without `privileged` a container sees the rest read-only (measured). */
const hostSysctl = "/proc/sys/net";
const mountedSysctlRoot = "/host/proc/sys";

const passwordVolume = "bgp-passwords";
const readableByRoot = 0o400;

/** Optional: without the Secret only the sessions that need it wait, not the whole agent. */
function passwords(secretName: pulumi.Input<string>): kubernetes.types.input.core.v1.Volume {
  return { name: passwordVolume, secret: { secretName, optional: true, defaultMode: readableByRoot } };
}

/** The agent on every node, whatever taints it has: a drained or failing node still answers for its addresses. */
export function daemonSet(args: DaemonSetArgs): kubernetes.types.input.apps.v1.DaemonSet {
  const fieldRef = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    metadata: {
      name: "agent",
      namespace: agentNamespace,
      labels: objectLabels,
      // AgentRollout waits instead: it knows what a node reports, and one dead node does not hold it
      // (kubernetes/kubernetes#63465).
      annotations: { ...takenBack, "pulumi.com/skipAwait": "true" },
    },
    spec: {
      selector: { matchLabels: selectorLabels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: {
        metadata: { labels: objectLabels },
        spec: {
          serviceAccountName: agentServiceAccount,
          hostNetwork: true,
          dnsPolicy: "ClusterFirstWithHostNet",
          priorityClassName: "system-node-critical",
          tolerations: [{ operator: "Exists" }],
          nodeSelector: { "kubernetes.io/os": "linux" },
          terminationGracePeriodSeconds: 5,
          ...(args.imagePullSecrets === undefined
            ? {}
            : { imagePullSecrets: args.imagePullSecrets.map((name) => ({ name })) }),
          containers: [
            {
              name: "agent",
              image: args.image,
              ...(args.imagePullPolicy === undefined ? {} : { imagePullPolicy: args.imagePullPolicy }),
              args: ["agent"],
              // `kubectl describe pod` shows why an agent does not begin.
              terminationMessagePolicy: "FallbackToLogsOnError",
              env: [
                fieldRef("NODE_NAME", "spec.nodeName"),
                fieldRef("POD_NAME", "metadata.name"),
                fieldRef("AGENT_NAMESPACE", "metadata.namespace"),
                { name: "AGENT_IMAGE", value: args.image },
                ...(args.metallbNamespace === undefined
                  ? []
                  : [{ name: "METALLB_NAMESPACE", value: args.metallbNamespace }]),
                { name: "SYSCTL_ROOT", value: mountedSysctlRoot },
                { name: "STATE_DIRECTORY", value: agentStateDirectory },
                { name: "STATUS_FILE", value: `${agentRuntimeDirectory}/status.json` },
              ],
              securityContext: {
                runAsUser: 0,
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                seccompProfile: { type: "RuntimeDefault" },
                capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"] },
              },
              readinessProbe: {
                exec: { command: ["vlan-router", "status", "--ready"] },
                initialDelaySeconds: 2,
                periodSeconds: 10,
                timeoutSeconds: 5,
                failureThreshold: 3,
              },
              volumeMounts: [
                { name: "sysctl-net", mountPath: `${mountedSysctlRoot}/net` },
                { name: "state", mountPath: agentStateDirectory },
                { name: "status", mountPath: agentRuntimeDirectory },
                ...(args.bgpPasswordSecret === undefined
                  ? []
                  : [{ name: passwordVolume, mountPath: passwordDirectory, readOnly: true }]),
              ],
            },
          ],
          volumes: [
            { name: "sysctl-net", hostPath: { path: hostSysctl, type: "Directory" } },
            { name: "state", hostPath: { path: agentStateDirectory, type: "DirectoryOrCreate" } },
            { name: "status", emptyDir: { medium: "Memory" } },
            ...(args.bgpPasswordSecret === undefined ? [] : [passwords(args.bgpPasswordSecret)]),
          ],
        },
      },
    },
  };
}
