/**
 * The resource exists but is not well yet. The engine keeps it in the state, shows the reasons, and updates it at the next
 * `up` (`ErrorResourceInitFailed`; sdk/nodejs/cmd/dynamic-provider/index.ts reads these three properties).
 */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";

  /** What the engine prints, line by line; it leaves the message out. */
  readonly reasons: readonly string[];

  /**
   * @param summary what is not well and what to do about it
   * @param properties what the state keeps; it must hold `__provider`, because the engine adds that to results only, and a
   *   resource without it can neither be refreshed nor deleted
   * @param details one line for each node that is not well
   */
  constructor(
    summary: string,
    readonly id: string,
    readonly properties: Readonly<Record<string, unknown>>,
    details: readonly string[],
  ) {
    super([summary, ...details].join("; "));
    this.reasons = [summary, ...details];
  }
}
