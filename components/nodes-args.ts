import type { TolerateUnreachable } from "../provider/unreachable-nodes.js";

/** What a deployment asks of the nodes. */
export interface NodesArgs {
  /**
   * Nodes that are not Ready in Kubernetes and that creation and update do not wait for: all of them (`true`), none
   * (`false`), or up to this number. They get the network, or the new agent, when they return; refresh names them until
   * then. With too many away, the wait ends at `timeoutSeconds` with an error that names them. Defaults to true.
   */
  readonly tolerateUnreachable?: boolean | number;
}

/** The tolerance as the provider takes it, left out where the default is meant. */
export function toleranceOf(nodes: NodesArgs | undefined): { readonly tolerateUnreachable?: TolerateUnreachable } {
  const tolerance = nodes?.tolerateUnreachable;
  return tolerance === undefined ? {} : { tolerateUnreachable: tolerance };
}
