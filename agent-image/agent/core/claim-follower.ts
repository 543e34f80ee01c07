import { join } from "node:path";
import type { NodeFacts, NodePlan } from "../../../model/index.js";
import type { ClaimObservation } from "../addresses/claim.js";
import { type ClaimStore, emptyClaimStore, followClaims, nextClaimDeadline } from "../addresses/claim-store.js";
import {
  answerKey,
  type ForeignAnswer,
  type ForeignAnswers,
  hearForeign,
  lastingConflicts,
  noForeignAnswers,
  type OwnAnswer,
  retainOwn,
  takenAddresses,
} from "../addresses/foreign-answers.js";
import { type OwnedAddress, ownedAddresses, staticAddressesOfServices } from "../addresses/owned-addresses.js";
import { conflictNotices, type ForeignInNetwork } from "./address-conflicts.js";
import type { AddressFollower, AgentLog, FollowedAddresses } from "./ports.js";
import { serviceNotices } from "./service-notices.js";
import { readState, writeState } from "./state-file.js";

const format = 1;

export function claimsPath(stateDirectory: string): string {
  return join(stateDirectory, "claims.json");
}

/**
 * Milliseconds without an answer from the API server after which nobody can say any more that this node still owns an
 * address; what is announced by BGP stays, but repeating it by ARP could take an address from its new owner.
 */
const confirmationLimit = 60_000;

export interface ClaimSource {
  claims(): ClaimObservation;
  problem(): string | undefined;
  /** Monotonic milliseconds of the API server's last answer. */
  lastContact(): number;
}

export interface ClaimFollowerOptions {
  readonly nodeName: string;
  readonly stateDirectory: string;
  /**
   * This process follows another without a boot in between. Only then are kept claims news: while a node is down MetalLB
   * moves its addresses, and announcing them again would take them from their new owner.
   */
  readonly restarted: boolean;
  /** Absent on a node without Kubernetes: then only addresses of the node's own interfaces count. */
  readonly source?: ClaimSource;
  /** Time alone has changed who owns what. */
  readonly onDue: () => void;
  readonly log: AgentLog;
}

/** Keeps the claim store over time and restarts, and joins it with what the kernel holds. */
export class ClaimFollower implements AddressFollower {
  readonly #options: ClaimFollowerOptions;
  readonly #path: string;
  #store: ClaimStore;
  #restored: boolean;
  /** What this node would own if nobody else spoke for it. */
  #own: ReadonlyMap<string, OwnAnswer & OwnedAddress> = new Map();
  #foreign: ForeignAnswers = noForeignAnswers;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: ClaimFollowerOptions, path: string, store: ClaimStore | undefined) {
    this.#options = options;
    this.#path = path;
    this.#store = store ?? emptyClaimStore;
    this.#restored = store !== undefined;
  }

  static async open(options: ClaimFollowerOptions): Promise<ClaimFollower> {
    const path = claimsPath(options.stateDirectory);
    const useful = options.restarted && options.source !== undefined;
    const read = useful ? await readState<ClaimStore>(path, format) : undefined;
    if (read?.kind === "unusable") {
      options.log.warn({ path, reason: read.reason }, "the kept claims cannot be read and are made anew");
    }
    return new ClaimFollower(options, path, read?.kind === "read" ? { claims: read.state.claims } : undefined);
  }

  owned(facts: NodeFacts, plan: NodePlan): FollowedAddresses {
    const { source, nodeName } = this.#options;
    const seen = source?.claims() ?? {};
    if (source !== undefined) {
      this.#keep(followClaims(this.#store, seen, nodeName, performance.now()));
      this.#wakeAt(nextClaimDeadline(this.#store), source.lastContact() + confirmationLimit);
    }
    const serviceAddresses =
      seen.services === undefined
        ? this.#store.claims.flatMap(({ addresses }) => addresses)
        : [...seen.services.values()].flat();
    const networks = [
      ...plan.networks.map(({ network, link, announcements, staticAddresses = [] }) => ({
        network,
        device: link.name,
        prefixes: announcements.map(({ prefix }) => prefix),
        staticAddresses,
      })),
      ...plan.unplanned,
    ];
    const candidates = ownedAddresses({
      nodeName,
      networks,
      claims: this.#store.claims,
      serviceAddresses,
      kernelAddresses: facts.addresses,
    });
    this.#own = ownAnswers(candidates, facts, plan);
    this.#foreign = retainOwn(this.#foreign, this.#own);
    const taken = this.#taken();
    const problem = source?.problem();
    return {
      owned: candidates.filter(
        ({ network, address }) => !taken.some((by) => by.network === network && by.address === address),
      ),
      confirmed: this.#unconfirmedSince() === undefined,
      repeated: seen.speakers?.some(({ node, repeats }) => node === nodeName && repeats) ?? false,
      complete: source === undefined || this.#restored || (seen.claims !== undefined && seen.services !== undefined),
      notices: joinNotices(
        conflictNotices(
          lastingConflicts(this.#foreign, performance.now()).map((answer) => this.#inNetwork(answer)),
          taken,
        ),
        serviceNotices(staticAddressesOfServices(networks, serviceAddresses)),
      ),
      ...(problem === undefined ? {} : { problem }),
    };
  }

  /** Somebody else spoke for an address on an interface of the node. */
  hear(device: string, { address, mac }: Pick<OwnAnswer, "address" | "mac">): void {
    const before = this.#foreign;
    this.#foreign = hearForeign(before, this.#own, { device, address, mac }, performance.now());
    if (this.#foreign !== before && this.#foreignText(before) !== this.#foreignText(this.#foreign)) {
      this.#options.onDue();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
  }

  /** Undefined where the API server has answered lately, or there is none. */
  #unconfirmedSince(): number | undefined {
    const { source } = this.#options;
    const since = source?.lastContact();
    return since === undefined || performance.now() - since < confirmationLimit ? undefined : since;
  }

  /** What MetalLB gave this node; what somebody put on its interfaces is not given up for anybody. */
  #taken(foreign = this.#foreign): readonly ForeignInNetwork[] {
    return takenAddresses(foreign, this.#unconfirmedSince())
      .filter((answer) => this.#own.get(answerKey(answer))?.source.kind === "metallb")
      .map((answer) => this.#inNetwork(answer));
  }

  #inNetwork(answer: ForeignAnswer): ForeignInNetwork {
    return { ...answer, network: this.#own.get(answerKey(answer))?.network ?? "" };
  }

  /** What of it is acted on or told, to see whether it has changed. */
  #foreignText(foreign: ForeignAnswers): string {
    const acted = [...this.#taken(foreign), ...lastingConflicts(foreign, performance.now())];
    return acted.map((answer) => `${answerKey(answer)} ${answer.mac}`).join(", ");
  }

  #keep(next: ClaimStore): void {
    // What is counted in this process's time says nothing to another one.
    const changed = JSON.stringify(next.claims) !== JSON.stringify(this.#store.claims);
    this.#store = next;
    if (changed) {
      this.#writing = this.#writing
        .then(() => writeState<ClaimStore>(this.#path, format, { claims: this.#store.claims }))
        .catch((error: Error) => this.#options.log.warn({ error: error.message }, "claims could not be kept"));
    }
  }

  /** @param times monotonic milliseconds at which time alone changes something, some of them past */
  #wakeAt(...times: readonly (number | undefined)[]): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    const next = Math.min(...times.flatMap((time) => (time !== undefined && time > now ? [time] : [])));
    if (Number.isFinite(next)) {
      // A timer may fire a fraction of a millisecond early, and the next look would find nothing changed.
      this.#timer = setTimeout(this.#options.onDue, next - now + 1);
    }
  }
}

function joinNotices(...all: readonly FollowedAddresses["notices"][]): FollowedAddresses["notices"] {
  const networks = new Set(all.flatMap((notices) => [...notices.keys()]));
  return new Map([...networks].map((network) => [network, all.flatMap((notices) => notices.get(network) ?? [])]));
}

/** By interface and address, where the interface is there. */
function ownAnswers(
  owned: readonly OwnedAddress[],
  facts: NodeFacts,
  plan: NodePlan,
): ReadonlyMap<string, OwnAnswer & OwnedAddress> {
  const links = new Map(facts.links.map((link) => [link.name, link]));
  const devices = new Map(plan.networks.map(({ network, link }) => [network, link.name]));
  return new Map(
    owned.flatMap((address) => {
      const device = devices.get(address.network);
      const mac = device === undefined ? undefined : links.get(device)?.mac;
      if (device === undefined || mac === undefined) {
        return [];
      }
      const answer = { ...address, device, mac };
      return [[answerKey(answer), answer] as const];
    }),
  );
}
