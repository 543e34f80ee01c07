/**
 * The resource exists but is not well yet. The engine keeps it in the state, shows the reasons, and updates it at the next
 * `up` (`ErrorResourceInitFailed`; sdk/nodejs/cmd/dynamic-provider/index.ts reads these three properties).
 */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";

  /**
   * @param properties what the state keeps; it must hold `__provider`, because the engine adds that to results only, and a
   *   resource without it can neither be refreshed nor deleted
   */
  constructor(
    message: string,
    readonly id: string,
    readonly properties: Readonly<Record<string, unknown>>,
    readonly reasons: readonly string[],
  ) {
    super(message);
  }
}
