import { setTimeout as sleep } from "node:timers/promises";
import type { PlanCondition } from "../../../model/index.js";
import type { CarriedNetwork } from "./carried-network.js";
import {
  changedNetworks,
  judge,
  type ProbeResults,
  type Return,
  roundPeriod,
  stillDeclared,
  type Trial,
} from "./confirmation.js";
import type { AgentLog, Probe } from "./ports.js";
import type { Rejection } from "./rejections.js";

export interface CommitConfirmOptions {
  /** What was carried and confirmed last, over restarts too. */
  readonly confirmed: readonly CarriedNetwork[];
  /** What was taken back, over restarts too. */
  readonly rejected: readonly Rejection[];
  /** Milliseconds; see {@link judge}. */
  readonly patience: number;
  readonly run: (probe: Probe) => Promise<boolean>;
  /** The networks to carry are others now. */
  readonly onVerdict: () => void;
  readonly log: AgentLog;
}

/**
 * Carries a change on trial: what answered before it must answer after it, or the node goes back by itself. It needs nobody
 * for that, because a change may cut it off from everybody.
 */
export class CommitConfirm {
  readonly #options: CommitConfirmOptions;
  #confirmed: readonly CarriedNetwork[];
  #state: Trial | Return | undefined;
  #probes: readonly Probe[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #rejected: readonly Rejection[];
  /** Revisions that stand although not everything answers. */
  #unconfirmed: readonly Rejection[] = [];

  constructor(options: CommitConfirmOptions) {
    this.#options = options;
    this.#confirmed = options.confirmed;
    this.#rejected = options.rejected;
  }

  /**
   * The networks to carry where `wanted` are wanted.
   *
   * @param standing probes of what stands in the kernel; they are run before a change
   * @param rounds in which a probe may answer once to count
   */
  async choose(
    wanted: readonly CarriedNetwork[],
    standing: readonly Probe[],
    rounds = 1,
  ): Promise<readonly CarriedNetwork[]> {
    this.#rejected = stillWanted(this.#rejected, wanted);
    this.#unconfirmed = stillWanted(this.#unconfirmed, wanted);
    const acceptable = this.#acceptable(wanted);
    const state = this.#state;
    if (state !== undefined) {
      if (changedNetworks(state.target, acceptable).length === 0) {
        return stillDeclared(state.kind === "trial" ? state.target : state.before, wanted);
      }
      const goodBefore = state.kind === "trial" ? state.goodBefore : state.failed;
      return this.#try(state.before, acceptable, goodBefore);
    }
    if (changedNetworks(this.#confirmed, acceptable).length > 0) {
      const goodBefore = await this.#answering(standing, rounds);
      if (goodBefore.length > 0) {
        return this.#try(this.#confirmed, acceptable, goodBefore);
      }
    }
    this.#confirmed = acceptable;
    return acceptable;
  }

  /** What {@link choose} gave stands in the kernel, as far as it can. */
  applied(probes: readonly Probe[]): void {
    this.#probes = probes;
    if (this.#state !== undefined && this.#timer === undefined && !this.#closed) {
      this.#timer = setTimeout(() => void this.#judge(), roundPeriod);
    }
  }

  /** What of the wanted networks is confirmed: this is what the node starts from after a crash. */
  confirmed(wanted: readonly CarriedNetwork[]): readonly CarriedNetwork[] {
    return this.#state === undefined ? this.#confirmed : stillDeclared(this.#state.before, wanted);
  }

  /** Wanted revisions that were taken back. Each is forgotten when another one is wanted in its place. */
  rejections(): readonly Rejection[] {
    return this.#rejected;
  }

  /** Why the wanted revision of a network does not count as applied. */
  refusal(network: CarriedNetwork): PlanCondition | undefined {
    const rejected = this.#rejected.find((rejection) => isOf(rejection, network));
    if (rejected !== undefined) {
      return rejected.condition;
    }
    const { uid, revision } = network;
    const state = this.#state;
    const changing = state === undefined ? [] : changedNetworks(state.before, state.target);
    if (state === undefined || !changing.some((network) => network.uid === uid)) {
      return undefined;
    }
    return state.kind === "trial"
      ? {
          reason: "Confirming",
          message: `revision ${revision} stands and is kept when all is as before: ${list(state.goodBefore)}`,
        }
      : { reason: "GoingBack", message: `revision ${revision} is taken back: with it failed ${list(state.failed)}` };
  }

  /** What people should know of a revision that stands. */
  notice(network: CarriedNetwork): PlanCondition | undefined {
    return this.#unconfirmed.find((unconfirmed) => isOf(unconfirmed, network))?.condition;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** With the confirmed revision in the place of one that cut the node off. */
  #acceptable(wanted: readonly CarriedNetwork[]): readonly CarriedNetwork[] {
    return wanted.flatMap((network) =>
      this.#rejected.some((rejection) => isOf(rejection, network))
        ? this.#confirmed.filter(({ uid }) => uid === network.uid)
        : [network],
    );
  }

  #try(
    before: readonly CarriedNetwork[],
    target: readonly CarriedNetwork[],
    goodBefore: readonly string[],
  ): readonly CarriedNetwork[] {
    this.#state = { kind: "trial", before, target, goodBefore, since: performance.now(), goodRounds: 0 };
    return target;
  }

  /** Names of the probes that answer in one of the rounds. */
  async #answering(probes: readonly Probe[], rounds: number): Promise<readonly string[]> {
    const good = new Set<string>();
    for (let round = 1; ; round++) {
      const results = await this.#round(probes.filter(({ name }) => !good.has(name)));
      for (const [name, answered] of results) {
        if (answered) good.add(name);
      }
      if (round >= rounds || this.#closed || probes.every(({ name }) => good.has(name))) {
        return probes.map(({ name }) => name).filter((name) => good.has(name));
      }
      await sleep(roundPeriod);
    }
  }

  async #round(probes: readonly Probe[]): Promise<ProbeResults> {
    const answers = probes.map(async (probe) => [probe.name, await this.#options.run(probe)] as const);
    return new Map(await Promise.all(answers));
  }

  async #judge(): Promise<void> {
    const judged = this.#state;
    const asked = new Set(judged?.kind === "trial" ? judged.goodBefore : judged?.failed);
    const results = await this.#round(this.#probes.filter(({ name }) => asked.has(name)));
    this.#timer = undefined;
    if (this.#closed || judged === undefined) {
      return;
    }
    // The wanted networks changed meanwhile: these answers are of what stood before.
    const verdict =
      judged === this.#state ? judge(judged, results, performance.now(), this.#options.patience) : undefined;
    if (verdict === undefined || verdict.kind === "wait") {
      this.#state = verdict?.state ?? this.#state;
      this.applied(this.#probes);
      return;
    }
    const { log, onVerdict } = this.#options;
    const { before, target } = judged;
    const changes = changedNetworks(before, target);
    const revisions = changes.map(({ name, revision }) => `${name} ${revision}`);
    if (verdict.kind === "goBack") {
      this.#state = verdict.state;
      log.error({ revisions, silent: verdict.state.failed }, "what answered before a change is silent; going back");
    } else {
      this.#state = undefined;
      this.#confirmed = verdict.kind === "reject" ? before : target;
      if (verdict.kind === "confirm") {
        log.info({ revisions }, "the change is confirmed: everything answers as before");
      } else {
        const told = changes.map((network): Rejection => {
          const { uid, revision } = network;
          const condition =
            verdict.kind === "reject"
              ? takenBack(network, changes, before, verdict.failed)
              : causeElsewhere(network, verdict.failed);
          return { uid, revision, condition };
        });
        if (verdict.kind === "reject") this.#rejected = [...this.#rejected, ...told];
        else this.#unconfirmed = [...this.#unconfirmed, ...told];
        log.error({ revisions, silent: verdict.failed }, outcomeText[verdict.kind]);
      }
    }
    onVerdict();
  }
}

const outcomeText = {
  reject: "going back helped: the change is refused until another revision comes",
  applyAgain: "going back did not help: the cause is elsewhere, the change is applied again",
} as const;

function stillWanted(rejections: readonly Rejection[], wanted: readonly CarriedNetwork[]): readonly Rejection[] {
  return rejections.filter((rejection) => wanted.some((network) => isOf(rejection, network)));
}

function isOf({ uid, revision }: Rejection, network: CarriedNetwork): boolean {
  return network.uid === uid && network.revision === revision;
}

function takenBack(
  { uid, revision }: CarriedNetwork,
  changes: readonly CarriedNetwork[],
  before: readonly CarriedNetwork[],
  failed: readonly string[],
): PlanCondition {
  const kept = before.find((network) => network.uid === uid)?.revision;
  const others = changes.filter((network) => network.uid !== uid).map(({ name }) => name);
  return {
    reason: "ChangeReverted",
    message:
      `revision ${revision} was taken back: with it failed what was well before and is well again: ${list(failed)}; ` +
      (kept === undefined ? "the network is not carried" : `revision ${kept} is back`) +
      (others.length === 0 ? "" : `; changed and taken back with it, so that each may be the cause: ${list(others)}`) +
      "; correct the network, a new revision is tried again",
  };
}

function causeElsewhere({ revision }: CarriedNetwork, failed: readonly string[]): PlanCondition {
  return {
    reason: "ChangeUnconfirmed",
    message:
      `with revision ${revision} failed what was well before: ${list(failed)}; going back did not help, so the cause is ` +
      "elsewhere, and the revision was applied again",
  };
}

function list(names: readonly string[]): string {
  return names.join(", ");
}
