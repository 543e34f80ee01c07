import { type Carried, type CarriedNetwork, nothingCarried } from "../core/carried-network.js";
import type { LastGood } from "../core/last-good.js";
import type { AgentLog, ConfigurationSource, Desired } from "../core/ports.js";
import { type AssignmentView, carryNext, type NextCarried, unaccountedNetworks } from "./carried-networks.js";

/** What the cluster tells this node, with the last good configuration until it was read and whenever it is away. */
export class AssignmentSource implements ConfigurationSource {
  readonly #view: () => AssignmentView | undefined;
  readonly #lastGood: LastGood;
  readonly #log: AgentLog;
  #carried: NextCarried | undefined;
  /** Networks that stood in the kernel at the start and that nobody has said anything about yet. */
  #unaccounted: readonly string[];
  #reported = 0;

  /**
   * @param standing names of the networks that stand in the kernel: what the node carries is readable from it, and losing
   * the kept configuration must not take a network away
   */
  constructor(view: () => AssignmentView | undefined, lastGood: LastGood, standing: readonly string[], log: AgentLog) {
    this.#view = view;
    this.#lastGood = lastGood;
    this.#log = log;
    this.#carried = lastGood.carried();
    // Of what was kept carryNext can tell what becomes of it, by its uid.
    const kept = new Set(this.#carried?.networks.map(({ name }) => name));
    this.#unaccounted = standing.filter((name) => !kept.has(name));
    if (this.#carried !== undefined) {
      log.info(
        { networks: this.#carried.networks.map(({ name }) => name) },
        "starting from the last good configuration",
      );
    }
  }

  desired(): Desired | undefined {
    const view = this.#view();
    if (view !== undefined) {
      const before = this.#carried;
      this.#carried = carryNext(before ?? nothingCarried, view);
      this.#logChange(before, this.#carried);
      if (!this.#accountsForAll(this.#carried, view)) {
        return undefined;
      }
    }
    if (this.#carried === undefined) {
      return undefined;
    }
    const { networks, unusable } = this.#carried;
    return { networks, ...(unusable === undefined ? {} : { unusable }) };
  }

  carried(): readonly CarriedNetwork[] | undefined {
    return this.#lastGood.carried()?.networks;
  }

  async applied(carried: readonly CarriedNetwork[]): Promise<void> {
    const removedUids = this.#carried?.removedUids ?? [];
    await this.#lastGood.keep({ networks: carried, removedUids });
  }

  #accountsForAll(carried: NextCarried, view: AssignmentView): boolean {
    const before = this.#unaccounted;
    this.#unaccounted = unaccountedNetworks(before, carried, view);
    const missing = this.#unaccounted;
    if (missing.length > 0 && missing.length !== this.#reported) {
      this.#reported = missing.length;
      this.#log.warn(
        { networks: missing },
        "these networks stand in the kernel, and neither the kept configuration nor the RouterNode names them; nothing is " +
          "changed until they are assigned or deleted (a PublicNetwork that is gone: create it again, then delete it)",
      );
    }
    return missing.length === 0;
  }

  #logChange(before: Carried | undefined, after: Carried): void {
    const revisions = (carried: Carried | undefined): string[] =>
      (carried?.networks ?? []).map(({ name, revision, notice }) =>
        `${name} ${revision} ${notice?.reason ?? ""}`.trim(),
      );
    const [was, is] = [revisions(before), revisions(after)];
    if (JSON.stringify(was) !== JSON.stringify(is)) {
      this.#log.info({ was, is }, "the cluster changed what this node carries");
    }
  }
}
