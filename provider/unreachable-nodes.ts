/** Nodes that Kubernetes does not hear from, and still go on: all of them (`true`), none (`false`), or up to a number. */
export type TolerateUnreachable = boolean | number;

/** One dead node must not hold a whole fleet (kubernetes/kubernetes#63465). */
const defaultTolerance: TolerateUnreachable = true;

/** Whether a deployment goes on without these nodes, which cannot say what they carry. */
export function isTolerated(away: readonly string[], tolerance: TolerateUnreachable = defaultTolerance): boolean {
  return tolerance === true || away.length <= Number(tolerance);
}

/**
 * One sentence part for each node that is away: what it is, and what follows.
 * @param onReturn what happens to the node when it is there again
 */
export function describeAway(
  away: readonly string[],
  tolerance: TolerateUnreachable | undefined,
  onReturn: string,
): readonly string[] {
  const follows = isTolerated(away, tolerance)
    ? onReturn
    : `it is waited for, because nodes.tolerateUnreachable is ${tolerance}`;
  return away.map((node) => `${node} is not Ready in Kubernetes; ${follows}`);
}
