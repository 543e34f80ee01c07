import { isIPv4 } from "node:net";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { PlanCondition } from "../../../model/index.js";
import { addressLimit, type BridgedHost, BridgedHosts } from "../addresses/bridged-hosts.js";
import { gatewayRequest } from "../announce/arp-frame.js";
import { linkLocalSolicitation } from "../announce/ndp-frame.js";
import type { FrameSender } from "../announce/packet-socket.js";
import { CommandFailure, type CommandRunner, listNeighbours, observeBridge } from "../kernel/index.js";
import { Coalesced } from "./coalesced.js";
import { type HostTarget, hostAddresses } from "./host-targets.js";
import type { AgentLog } from "./ports.js";
import { readState, writeState } from "./state-file.js";

const format = 1;

export function hostsPath(stateDirectory: string): string {
  return join(stateDirectory, "hosts.json");
}

/** Milliseconds: the entries of many hosts that come at once become one look. */
const lookDelay = 20;
/** Milliseconds between two looks at the bridges when nothing happens: a port may go whose hosts the bridge has forgotten. */
const comparisonPeriod = 10_000;
/** Milliseconds between two looks at which questions are due, and the frames that leave at one. */
const questionPeriod = 1_000;
const questionsAtOnce = 100;
/** Milliseconds: what a restart needs of hosts that come one after the other is written once. */
const writeDelay = 1_000;
/** RFC 5227 section 2.1.1: a probe has no sender address, so it changes nobody's ARP cache. */
const noSender = "0.0.0.0";

type KeptHosts = Readonly<Record<string, readonly BridgedHost[]>>;

export interface HostKeeperOptions {
  readonly sender: FrameSender;
  readonly commands: CommandRunner;
  readonly stateDirectory: string;
  /** This process follows another without a boot in between: who was known then may be there still. */
  readonly restarted: boolean;
  /** Who is behind the bridges has changed. */
  readonly onChange: () => void;
  readonly log: AgentLog;
}

interface Followed {
  readonly target: HostTarget;
  readonly mayHave: (address: string) => boolean;
  readonly hosts: BridgedHosts;
  /** The bridge was read at least once. */
  seen: boolean;
  /** MACs that were found elsewhere, until the bridge has been told. */
  readonly leaving: Map<string, number>;
}

/** Follows the hosts behind the networks' bridges, asks those that are silent, and remembers them over a restart. */
export class HostKeeper {
  readonly #options: HostKeeperOptions;
  readonly #looks: Coalesced;
  readonly #writes: Coalesced;
  readonly #comparisons: NodeJS.Timeout;
  readonly #questions: NodeJS.Timeout;
  readonly #kept: KeptHosts;
  #followed: ReadonlyMap<string, Followed> = new Map();
  #told: KeptHosts = {};

  private constructor(options: HostKeeperOptions, kept: KeptHosts) {
    this.#options = options;
    this.#kept = kept;
    const { log } = options;
    this.#looks = new Coalesced(
      () => this.#look(),
      lookDelay,
      (error) => log.warn({ error: error.message }, "the hosts behind a bridge could not be read"),
    );
    this.#writes = new Coalesced(
      () => writeState<KeptHosts>(hostsPath(options.stateDirectory), format, this.#told),
      writeDelay,
      (error) => log.warn({ error: error.message }, "the hosts behind the bridges could not be kept"),
    );
    this.#comparisons = setInterval(() => this.bridgesChanged(), comparisonPeriod);
    this.#questions = setInterval(() => this.#ask(), questionPeriod);
  }

  static async open(options: HostKeeperOptions): Promise<HostKeeper> {
    const path = hostsPath(options.stateDirectory);
    const read = options.restarted ? await readState<KeptHosts>(path, format) : undefined;
    if (read?.kind === "unusable") {
      options.log.warn({ path, reason: read.reason }, "the kept hosts cannot be read and are found anew");
    }
    return new HostKeeper(options, read?.kind === "read" ? read.state : {});
  }

  /** The networks to follow from now on. */
  set(targets: readonly HostTarget[]): void {
    const before = this.#followed;
    this.#followed = new Map(
      targets.map((target) => {
        const known = before.get(target.network);
        return [target.network, isDeepStrictEqual(known?.target, target) ? (known as Followed) : this.#follow(target)];
      }),
    );
    if ([...this.#followed.values()].some(({ seen }) => !seen)) this.#looks.request();
  }

  /** Who is behind the bridge of a network, sorted by MAC; nobody before {@link complete}. */
  hosts(network: string): readonly BridgedHost[] {
    const followed = this.#followed.get(network);
    return followed?.seen === true ? followed.hosts.hosts : [];
  }

  /** Every bridge was read. */
  get complete(): boolean {
    return [...this.#followed.values()].every(({ seen }) => seen);
  }

  /** The monitor saw a host come or go. */
  bridgesChanged(): void {
    if (this.#followed.size > 0) this.#looks.request();
  }

  /** Somebody spoke for an address on an interface of the node. */
  hear(device: string, { mac, address }: { readonly mac: string; readonly address: string }): void {
    for (const { target, mayHave, hosts } of this.#followed.values()) {
      if (target.bridge !== device || mac === target.mac || !mayHave(address)) continue;
      hosts.hear(mac, address, performance.now());
      this.#tell();
    }
  }

  /**
   * A host is behind another VTEP now.
   *
   * @param told resolves when the bridge knows it: until then it says that the host is here
   */
  moved(network: string, mac: string, told: Promise<unknown>): void {
    const followed = this.#followed.get(network);
    if (followed === undefined) return;
    const { leaving, hosts } = followed;
    hosts.forget(mac);
    leaving.set(mac, (leaving.get(mac) ?? 0) + 1);
    void told.finally(() => {
      const others = (leaving.get(mac) ?? 1) - 1;
      if (others === 0) leaving.delete(mac);
      else leaving.set(mac, others);
      this.#looks.request();
    });
    this.#tell();
  }

  /** By network: which hosts are not announced as they are, for people. */
  notices(): ReadonlyMap<string, readonly PlanCondition[]> {
    return new Map(
      [...this.#followed].flatMap(([network, { target, hosts }]): [string, readonly PlanCondition[]][] => {
        const conditions = [...tooManyHosts(target, hosts), ...tooManyAddresses(target, hosts)];
        return conditions.length === 0 ? [] : [[network, conditions]];
      }),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#comparisons);
    clearInterval(this.#questions);
    await Promise.all([this.#looks.close(), this.#writes.close()]);
  }

  #follow(target: HostTarget): Followed {
    const mayHave = hostAddresses(target);
    const kept = (this.#told[target.network] ?? this.#kept[target.network] ?? []).map((host) => ({
      ...host,
      addresses: host.addresses.filter(mayHave),
    }));
    const hosts = new BridgedHosts(target.limit, kept, performance.now());
    return { target, mayHave, hosts, seen: false, leaving: new Map() };
  }

  async #look(): Promise<void> {
    for (const followed of this.#followed.values()) {
      const { target, leaving, hosts, mayHave } = followed;
      // Also those who have become free of it meanwhile: this look may have begun before the bridge was told.
      const elsewhere = new Set(leaving.keys());
      const view = await this.#view(target);
      if (view === undefined) continue;
      const entries = view.entries.filter(({ mac }) => !elsewhere.has(mac) && !leaving.has(mac) && mac !== target.mac);
      hosts.seeBridge({ ports: view.ports, entries }, performance.now());
      if (!followed.seen) {
        const talkedWith = entries.length === 0 ? [] : await listNeighbours(this.#options.commands, target.bridge);
        for (const { mac, address } of talkedWith) {
          if (mayHave(address)) hosts.suppose(mac, address, performance.now());
        }
        followed.seen = true;
        this.#options.onChange();
      }
    }
    this.#tell();
  }

  /** Undefined where something of it went meanwhile: that is an event, or seen at the next comparison. */
  async #view({ bridge, segment }: HostTarget): Promise<Awaited<ReturnType<typeof observeBridge>> | undefined> {
    try {
      return await observeBridge(this.#options.commands, bridge, segment);
    } catch (error) {
      if (error instanceof CommandFailure) {
        this.#options.log.info({ bridge, error: error.message }, "a bridge changed while it was read");
        return undefined;
      }
      throw error;
    }
  }

  #ask(): void {
    let most = questionsAtOnce;
    for (const { target, hosts } of this.#followed.values()) {
      const questions = hosts.takeQuestions(performance.now(), most);
      most -= questions.length;
      for (const { port, address } of questions) {
        try {
          // By the port itself: through the bridge a question to a host that it has forgotten would go to the whole segment.
          this.#options.sender.send(port, questionTo(target.mac, address));
        } catch {
          // The port went; the next look says so.
        }
      }
    }
    this.#tell();
  }

  #tell(): void {
    const now: KeptHosts = Object.fromEntries(
      [...this.#followed].map(([network, { hosts, seen }]) => [
        network,
        seen ? hosts.hosts : (this.#kept[network] ?? []),
      ]),
    );
    if (isDeepStrictEqual(now, this.#told)) return;
    this.#told = now;
    this.#writes.request();
    this.#options.onChange();
  }
}

function questionTo(mac: string, address: string): Buffer {
  return isIPv4(address) ? gatewayRequest(mac, noSender, address) : linkLocalSolicitation(mac, address);
}

function tooManyHosts({ bridge, limit }: HostTarget, { isFull }: BridgedHosts): readonly PlanCondition[] {
  if (!isFull) return [];
  const message =
    `more than ${limit} MACs are behind the ports of ${bridge}: the later ones are not announced, and found by flooding; look for a ` +
    "host that invents MACs, or raise bgp.maxMacs";
  return [{ reason: "HostLimitReached", message }];
}

function tooManyAddresses({ bridge }: HostTarget, { crowded }: BridgedHosts): readonly PlanCondition[] {
  const [first, ...others] = crowded;
  if (first === undefined) return [];
  const who = others.length === 0 ? first : `${first} and ${others.length} more`;
  const message =
    `${who} behind ${bridge} speaks for more than ${addressLimit} addresses: the later ones are not announced with its MAC, and found ` +
    "by flooding; look whether it answers for others (proxy ARP), or give a router a prefix of its own";
  return [{ reason: "HostAddressLimitReached", message }];
}
