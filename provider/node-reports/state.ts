import type { ClusterReference } from "../kubernetes/credential-source.js";

/** What the program gives to a `NodeReports` resource, and what its inputs are. */
export interface NodeReportsInputs {
  readonly cluster: ClusterReference;
}

export interface NodeReportsOutputs extends NodeReportsInputs {
  readonly schemaVersion: 1;
  readonly clusterUid: string;
}
