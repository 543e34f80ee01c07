import type { CheckedCluster } from "../ask-cluster.js";
import type { ClusterReference } from "../kubernetes/credential-source.js";

/** What makes Pulumi's Kubernetes provider of the router's objects another one. */
export type ObjectsProvider =
  /** One of the package's own: this alone. */
  | { readonly clusterIdentifier: string }
  /** The program's: whatever the program says of it. */
  | { readonly urn: string; readonly id: string };

/** What the program gives to a `NodeReports` resource. */
export interface NodeReportsArguments {
  readonly cluster: ClusterReference;
  /** `PROJECT/STACK URN` of the component that declares the router. */
  readonly owner: string;
  /** Absent in states of earlier versions. */
  readonly objectsProvider?: ObjectsProvider;
}

/** The inputs as `check` returns them, and as the state holds them. */
export interface NodeReportsInputs extends NodeReportsArguments, CheckedCluster {}

export interface NodeReportsOutputs extends NodeReportsInputs {
  readonly schemaVersion: 1;
  readonly clusterUid: string;
}
