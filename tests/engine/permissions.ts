import type { AuditedRequest } from "./bare-api-server.js";

/** A rule of a Role or ClusterRole. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Every permission of the rules by itself, such as `get publicnetworks.vlan-router.io`; sorted. */
export function grantedPermissions(rules: readonly Rule[]): readonly string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => named(group, resource, verb)))),
    )
    .sort();
}

/** Those that the requests took, each once; in the same form. */
export function usedPermissions(requests: readonly AuditedRequest[]): readonly string[] {
  return [...new Set(requests.map(({ apiGroup, resource, verb }) => named(apiGroup, resource, verb)))].sort();
}

function named(group: string, resource: string, verb: string): string {
  return `${verb} ${resource}${group && `.${group}`}`;
}
