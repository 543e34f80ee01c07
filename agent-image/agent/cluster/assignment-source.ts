import type { LastGood } from "../core/last-good.js";
import type { AgentLog, ConfigurationSource, Desired } from "../core/ports.js";
import type { AssignmentView } from "./carried-networks.js";
import { type Carried, type CarriedNetwork, carryNext, type NextCarried, nothingCarried } from "./carried-networks.js";

/** What the cluster tells this node, with the last good configuration until it was read and whenever it is away. */
export class AssignmentSource implements ConfigurationSource {
  readonly #view: () => AssignmentView | undefined;
  readonly #lastGood: LastGood;
  readonly #log: AgentLog;
  #carried: NextCarried | undefined;

  constructor(view: () => AssignmentView | undefined, lastGood: LastGood, log: AgentLog) {
    this.#view = view;
    this.#lastGood = lastGood;
    this.#log = log;
    this.#carried = lastGood.carried();
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
    }
    if (this.#carried === undefined) {
      return undefined;
    }
    const { networks, unusable } = this.#carried;
    return { networks, ...(unusable === undefined ? {} : { unusable }) };
  }

  carried(): readonly CarriedNetwork[] {
    return this.#lastGood.carried()?.networks ?? [];
  }

  async applied(carried: readonly CarriedNetwork[]): Promise<void> {
    const removedUids = this.#carried?.removedUids ?? [];
    await this.#lastGood.keep({ networks: carried, removedUids });
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
