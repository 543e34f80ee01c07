import type { ClusterReference } from "../kubernetes/credential-source.js";

/** What the program gives to a `NodeReports` resource, and what its inputs are. */
export interface NodeReportsInputs {
  readonly cluster: ClusterReference;
  /** `PROJECT/STACK URN` of the component that declares the router. */
  readonly owner: string;
}

export interface NodeReportsOutputs extends NodeReportsInputs {
  readonly schemaVersion: 1;
  readonly clusterUid: string;
}
