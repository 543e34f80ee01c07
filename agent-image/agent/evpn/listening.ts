import type { Duplex } from "node:stream";
import type { Clock } from "../bgp/session/clock.js";
import type { AdmittedPeer, Listener, ListenerFactory } from "../bgp/session/listener.js";
import { readPassword } from "../bgp/session/password-file.js";
import type { Log } from "./log.js";
import type { PlannedSession } from "./session-plan.js";

export interface ListeningOptions {
  readonly listen: ListenerFactory;
  readonly clock: Clock;
  readonly log: Log;
  readonly onConnection: (local: string, peer: string, socket: Duplex) => void;
  /** {@link Listening.failure} of an address may have changed. */
  readonly onChange: (local: string) => void;
}

/** Milliseconds after which a port is tried again that another program holds. */
const retryInterval = 30_000;

interface OpenAddress {
  readonly peers: readonly AdmittedPeer[];
  /** Absent where the last attempt failed. */
  readonly listener?: Listener;
  readonly failure?: string;
  readonly cancelRetry?: () => void;
}

/** The sockets on which peers may open sessions: one for each local address that sessions with `listen` come from. */
export class Listening {
  readonly #options: ListeningOptions;
  readonly #addresses = new Map<string, OpenAddress>();

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** What is as it was stays. Passwords are read anew. */
  update(sessions: Iterable<PlannedSession>): void {
    const wanted = admittedPeers(sessions);
    for (const local of this.#addresses.keys()) {
      if (!wanted.has(local)) this.#close(local);
    }
    for (const [local, peers] of wanted) {
      const open = this.#addresses.get(local);
      if (open === undefined || !areSame(open.peers, peers)) {
        this.#close(local);
        this.#open(local, peers);
      }
    }
  }

  /** Why nobody can connect to an address, such as `cannot bind a socket: EADDRINUSE`; undefined where peers can. */
  failure(local: string): string | undefined {
    return this.#addresses.get(local)?.failure;
  }

  close(): void {
    for (const local of [...this.#addresses.keys()]) this.#close(local);
  }

  #open(local: string, peers: readonly AdmittedPeer[]): void {
    const { listen, onConnection } = this.#options;
    try {
      const listener = listen(
        local,
        peers,
        (peer, socket) => onConnection(local, peer, socket),
        (error) => this.#fail(local, peers, error),
      );
      this.#addresses.set(local, { peers, listener });
      this.#options.log("info", "listening for BGP", { local, peers: peers.map(({ peer }) => peer) });
      this.#options.onChange(local);
    } catch (error) {
      this.#fail(local, peers, error as Error);
    }
  }

  #fail(local: string, peers: readonly AdmittedPeer[], { message }: Error): void {
    const before = this.#addresses.get(local);
    before?.listener?.close();
    before?.cancelRetry?.();
    const cancelRetry = this.#options.clock.schedule(retryInterval, () => this.#open(local, peers));
    this.#addresses.set(local, { peers, failure: message, cancelRetry });
    if (before?.failure !== message) {
      this.#options.log("warn", "cannot listen for BGP", { local, error: message });
      this.#options.onChange(local);
    }
  }

  #close(local: string): void {
    const open = this.#addresses.get(local);
    open?.listener?.close();
    open?.cancelRetry?.();
    this.#addresses.delete(local);
  }
}

function admittedPeers(sessions: Iterable<PlannedSession>): ReadonlyMap<string, readonly AdmittedPeer[]> {
  const wanted = new Map<string, AdmittedPeer[]>();
  for (const { target, parameters, listen } of sessions) {
    if (!listen) continue;
    const { passwordFile, ttlSecurity } = parameters;
    const peers = wanted.get(target.local) ?? [];
    wanted.set(target.local, peers);
    const password = passwordFile === undefined ? undefined : passwordIn(passwordFile);
    if (password === "unreadable") continue;
    peers.push({
      peer: target.peer,
      ...(password === undefined ? {} : { password }),
      ...(ttlSecurity === undefined ? {} : { ttlSecurity }),
    });
  }
  return wanted;
}

/** A peer whose password cannot be read is not admitted without one; our own attempts say why (`lastError`). */
function passwordIn(path: string): Buffer | "unreadable" {
  try {
    return readPassword(path);
  } catch {
    return "unreadable";
  }
}

function areSame(one: readonly AdmittedPeer[], other: readonly AdmittedPeer[]): boolean {
  const text = (peers: readonly AdmittedPeer[]) =>
    JSON.stringify(peers.map(({ password, ...rest }) => ({ ...rest, password: password?.toString("latin1") })));
  return text(one) === text(other);
}
