import type { CheckedCluster } from "../ask-cluster.js";
import type { ClusterReference } from "../kubernetes/credential-source.js";

/** What the program gives to a `NodeReports` resource. */
export interface NodeReportsArguments {
  readonly cluster: ClusterReference;
  /** `PROJECT/STACK URN` of the component that declares the router. */
  readonly owner: string;
}

/** The inputs as `check` returns them, and as the state holds them. */
export interface NodeReportsInputs extends NodeReportsArguments, CheckedCluster {}

export interface NodeReportsOutputs extends NodeReportsInputs {
  readonly schemaVersion: 1;
  readonly clusterUid: string;
}
