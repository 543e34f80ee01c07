import { compareTexts } from "../../../model/node-plan/compare.js";

/** What a bridge has at one moment, but for the port to its segment. */
export interface BridgeView {
  /** Ports by which somebody can be reached: up, with a carrier. */
  readonly ports: ReadonlySet<string>;
  /** MACs that were seen behind them. */
  readonly entries: readonly HostEntry[];
}

export interface HostEntry {
  readonly mac: string;
  readonly port: string;
}

/** A host behind a port of a bridge, as it is announced and kept. */
export interface BridgedHost extends HostEntry {
  /** Sorted. */
  readonly addresses: readonly string[];
}

export interface HostQuestion {
  readonly port: string;
  readonly address: string;
}

interface Binding {
  /** Monotonic milliseconds of the next question. */
  readonly askAt: number;
  /** Questions since the address was heard of. */
  readonly asked: number;
}

interface Host {
  readonly port: string;
  /** False: the bridge has forgotten it, and its addresses are asked for. */
  readonly inBridge: boolean;
  readonly bindings: Map<string, Binding>;
}

/**
 * Milliseconds of silence after which a host is asked: the bridge forgets it after 300 s by default, and so do switches. An answer
 * brings its entry back to life.
 */
const silence = 120_000;
/** A host that was stopped for a snapshot is silent for some seconds, and comes back. */
const questionSpacing = 10_000;
const questionsUntilGone = 6;
/** Milliseconds: a frame may be read before the entry that its sender made in the bridge. */
const unplacedTime = 1_000;
const unplacedMost = 1_024;
/** A router with many addresses has them behind it, not beside each other; an IPv6 prefix has more than a node can hold. */
export const addressLimit = 64;

/**
 * The hosts of one network behind the ports of its bridge. The bridge says where a MAC is, frames say which addresses it has. A host
 * is gone when its port is, or when the bridge has forgotten it and it has answered no question for a minute: an entry that has
 * only become stale takes nothing away. Times are monotonic milliseconds, given by the caller.
 */
export class BridgedHosts {
  readonly #limit: number;
  readonly #hosts = new Map<string, Host>();
  /** By address: who spoke for it and is not behind a port as far as is known. */
  readonly #unplaced = new Map<string, { readonly mac: string; readonly at: number }>();
  #refused: ReadonlySet<string> = new Set();
  readonly #crowded = new Set<string>();

  /**
   * @param limit hosts that are taken
   * @param kept what was known before a restart: asked for at once, and gone without an answer
   */
  constructor(limit: number, kept: readonly BridgedHost[], now: number) {
    this.#limit = limit;
    for (const { mac, port, addresses } of kept.slice(0, limit)) {
      const bindings = addresses.map((address) => [address, { askAt: now, asked: 0 }] as const);
      this.#hosts.set(mac, { port, inBridge: true, bindings: new Map(bindings) });
    }
  }

  /** Sorted by MAC. */
  get hosts(): readonly BridgedHost[] {
    return [...this.#hosts]
      .map(([mac, { port, bindings }]) => ({ mac, port, addresses: [...bindings.keys()].sort() }))
      .toSorted((one, other) => compareTexts(one.mac, other.mac));
  }

  /** More hosts are there than are taken. */
  get isFull(): boolean {
    return this.#refused.size > 0;
  }

  /** MACs that spoke for more addresses than are taken. */
  get crowded(): readonly string[] {
    return [...this.#crowded].filter((mac) => this.#hosts.has(mac)).sort();
  }

  seeBridge({ ports, entries }: BridgeView, now: number): void {
    const seen = new Map(entries.filter(({ port }) => ports.has(port)).map(({ mac, port }) => [mac, port]));
    for (const [mac, { port, inBridge, bindings }] of this.#hosts) {
      if (seen.has(mac)) continue;
      // Without an address there is nothing to ask for, and who has none that we know is found by flooding.
      if (!ports.has(port) || bindings.size === 0) this.#hosts.delete(mac);
      else if (inBridge) this.#hosts.set(mac, { port, inBridge: false, bindings: askedNow(bindings, now) });
    }
    const refused = new Set<string>();
    for (const [mac, port] of seen) {
      const known = this.#hosts.get(mac);
      if (known === undefined && this.#hosts.size >= this.#limit) refused.add(mac);
      else this.#hosts.set(mac, { port, inBridge: true, bindings: known?.bindings ?? new Map() });
    }
    this.#refused = refused;
    for (const [address, { mac, at }] of this.#unplaced) {
      const isOld = now - at > unplacedTime;
      if (this.#hosts.has(mac) && !isOld) this.hear(mac, address, now);
      if (this.#hosts.has(mac) || isOld) this.#unplaced.delete(address);
    }
  }

  /** A MAC spoke for an address. */
  hear(mac: string, address: string, now: number): void {
    this.#bind(mac, address, now, now + silence);
  }

  /** Somebody else knows that a MAC had an address: it is asked for. */
  suppose(mac: string, address: string, now: number): void {
    if (this.#hosts.get(mac)?.bindings.has(address) === false) this.#bind(mac, address, now, now);
  }

  /** Another VTEP has it now. */
  forget(mac: string): void {
    this.#hosts.delete(mac);
  }

  /** The questions that are due at `now`, at most `most`; those that were asked often enough for nothing lose their address. */
  takeQuestions(now: number, most: number): readonly HostQuestion[] {
    const questions: HostQuestion[] = [];
    for (const [mac, { port, inBridge, bindings }] of this.#hosts) {
      for (const [address, { askAt, asked }] of bindings) {
        if (askAt > now || questions.length >= most) continue;
        if (asked >= questionsUntilGone) {
          bindings.delete(address);
        } else {
          bindings.set(address, { askAt: now + questionSpacing, asked: asked + 1 });
          questions.push({ port, address });
        }
      }
      if (bindings.size === 0 && !inBridge) this.#hosts.delete(mac);
    }
    return questions;
  }

  #bind(mac: string, address: string, now: number, askAt: number): void {
    const host = this.#hosts.get(mac);
    if (host === undefined) {
      this.#hearUnplaced(mac, address, now);
      return;
    }
    if (!host.bindings.has(address) && host.bindings.size >= addressLimit) {
      this.#crowded.add(mac);
      return;
    }
    for (const [other, { bindings }] of this.#hosts) if (other !== mac) bindings.delete(address);
    host.bindings.set(address, { askAt, asked: 0 });
  }

  /** It may be a host that took the address from one of ours. */
  #hearUnplaced(mac: string, address: string, now: number): void {
    for (const { bindings } of this.#hosts.values()) {
      const binding = bindings.get(address);
      if (binding !== undefined && binding.askAt > now && binding.asked === 0)
        bindings.set(address, { askAt: now, asked: 0 });
    }
    this.#unplaced.delete(address);
    this.#unplaced.set(address, { mac, at: now });
    const [oldest] = this.#unplaced.keys();
    if (this.#unplaced.size > unplacedMost && oldest !== undefined) this.#unplaced.delete(oldest);
  }
}

function askedNow(bindings: ReadonlyMap<string, Binding>, now: number): Map<string, Binding> {
  return new Map([...bindings].map(([address, { askAt, asked }]) => [address, { askAt: Math.min(askAt, now), asked }]));
}
