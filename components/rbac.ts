import type * as kubernetes from "@pulumi/kubernetes";
import { agentNamespace, apiGroup } from "../model/index.js";
import { objectLabels } from "./object-labels.js";
import { takenBack } from "./taken-back.js";

type Rule = kubernetes.types.input.rbac.v1.PolicyRule;

export const agentServiceAccount = "agent";
/** Cluster-scoped names are shared with everybody. */
const clusterRoleName = "vlan-router-agent";
const roleName = "agent";

/** What the agent reads and writes in the whole cluster; agent-image/README.md says why, line by line. */
const clusterRules: readonly Rule[] = [
  { apiGroups: [apiGroup], resources: ["publicnetworks"], verbs: ["list", "watch", "patch"] },
  { apiGroups: [apiGroup], resources: ["vlanrouters"], verbs: ["list", "watch"] },
  { apiGroups: [apiGroup], resources: ["vlanrouters/status"], verbs: ["patch"] },
  { apiGroups: [apiGroup], resources: ["routernodes"], verbs: ["list", "watch", "create", "patch"] },
  { apiGroups: [apiGroup], resources: ["routernodes/status"], verbs: ["patch"] },
  {
    apiGroups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    resourceNames: [`publicnetworks.${apiGroup}`],
    verbs: ["get"],
  },
  { apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] },
  { apiGroups: [""], resources: ["services"], verbs: ["list", "watch"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] },
  { apiGroups: [""], resources: ["events"], verbs: ["list", "watch", "create", "patch"] },
  { apiGroups: ["metallb.io"], resources: ["servicel2statuses"], verbs: ["list", "watch"] },
];

const namespaceRules: readonly Rule[] = [
  { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs: ["list", "watch", "create", "delete"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
];

const subjects = [{ kind: "ServiceAccount", name: agentServiceAccount, namespace: agentNamespace }];
const rbacGroup = "rbac.authorization.k8s.io";

export function serviceAccount(): kubernetes.types.input.core.v1.ServiceAccount {
  return {
    metadata: { name: agentServiceAccount, namespace: agentNamespace, annotations: takenBack, labels: objectLabels },
  };
}

export function clusterRole(): kubernetes.types.input.rbac.v1.ClusterRole {
  return {
    metadata: { name: clusterRoleName, annotations: takenBack, labels: objectLabels },
    rules: [...clusterRules],
  };
}

export function clusterRoleBinding(): kubernetes.types.input.rbac.v1.ClusterRoleBinding {
  return {
    metadata: { name: clusterRoleName, annotations: takenBack, labels: objectLabels },
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: clusterRoleName },
    subjects,
  };
}

export function role(): kubernetes.types.input.rbac.v1.Role {
  return {
    metadata: { name: roleName, namespace: agentNamespace, annotations: takenBack, labels: objectLabels },
    rules: [...namespaceRules],
  };
}

export function roleBinding(): kubernetes.types.input.rbac.v1.RoleBinding {
  return {
    metadata: { name: roleName, namespace: agentNamespace, annotations: takenBack, labels: objectLabels },
    roleRef: { apiGroup: rbacGroup, kind: "Role", name: roleName },
    subjects,
  };
}
