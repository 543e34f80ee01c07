/** Other hosts that answer for addresses of this node: pure, over what was heard on the segments. */

export interface ForeignAnswer {
  readonly device: string;
  readonly address: string;
  readonly mac: string;
  /** Monotonic milliseconds of the first and of the last time, without a long silence between them. */
  readonly since: number;
  readonly at: number;
}

/** By interface and address. */
export type ForeignAnswers = ReadonlyMap<string, ForeignAnswer>;

export const noForeignAnswers: ForeignAnswers = new Map();

/** An address of this node on an interface, with the MAC by which it answers. */
export interface OwnAnswer {
  readonly device: string;
  readonly mac: string;
  readonly address: string;
}

/**
 * Milliseconds for which both may answer without that being told: when an address moves the new owner speaks before the
 * old one has heard of it, and after a healed link two speakers of MetalLB answer for 7 to 12 s (measured).
 */
const movingTime = 15_000;
/** Milliseconds after which somebody who is not heard any more is forgotten: hosts speak of themselves each few minutes. */
const memory = 300_000;

/** Notes that somebody spoke for one of our addresses; anything else gives the same object. */
export function hearForeign(
  current: ForeignAnswers,
  own: ReadonlyMap<string, OwnAnswer>,
  heard: OwnAnswer,
  now: number,
): ForeignAnswers {
  const { device, address, mac } = heard;
  const key = answerKey(heard);
  const mine = own.get(key);
  if (mine === undefined || mine.mac === mac) {
    return current;
  }
  const known = current.get(key);
  const goesOn = known !== undefined && now - known.at < memory;
  return new Map(current).set(key, { device, address, mac, since: goesOn ? known.since : now, at: now });
}

/**
 * Addresses that another host has taken. While the API server answers, its word counts: anybody on a segment can send ARP,
 * and two nodes that believed each other would both fall silent. Once nobody can confirm a claim any more, whoever speaks
 * for its address since then is believed.
 *
 * @param unconfirmedSince monotonic milliseconds of the API server's last answer; undefined while claims are confirmed
 */
export function takenAddresses(
  current: ForeignAnswers,
  unconfirmedSince: number | undefined,
): readonly ForeignAnswer[] {
  return unconfirmedSince === undefined ? [] : [...current.values()].filter(({ at }) => at > unconfirmedSince);
}

/** Those who go on answering beside us, for people. */
export function lastingConflicts(current: ForeignAnswers, now: number): readonly ForeignAnswer[] {
  return [...current.values()].filter(({ since, at }) => at - since >= movingTime && now - at < memory);
}

/** Without what is not ours any more: there, others may answer. */
export function retainOwn(current: ForeignAnswers, own: ReadonlyMap<string, OwnAnswer>): ForeignAnswers {
  const kept = [...current].filter(([key]) => own.has(key));
  return kept.length === current.size ? current : new Map(kept);
}

export function answerKey({ device, address }: { readonly device: string; readonly address: string }): string {
  return `${device} ${address}`;
}
