import { isDeepStrictEqual } from "node:util";
import type { PlanCondition } from "../../../model/index.js";
import { type ArpSender, gatewayRequest } from "../announce/arp-frame.js";
import type { FrameSender } from "../announce/packet-socket.js";
import type { NeighbourLookup } from "../evpn/evpn-speaker.js";
import { type CommandRunner, keepNeighbours, leaveNeighbours, type NeighbourEntry } from "../kernel/index.js";
import { Coalesced } from "./coalesced.js";
import {
  followGateways,
  gatewayEntries,
  hearGateway,
  noResolutions,
  type Resolutions,
  silenceLimit,
  silentGateways,
  takeQuestions,
} from "./gateway-resolution.js";
import type { GatewayTarget } from "./gateway-targets.js";
import type { AgentLog } from "./ports.js";

/** Milliseconds between two looks at which questions are due. */
const lookPeriod = 250;
/** Milliseconds: answers of many networks become one look at the neighbour table. */
const writeDelay = 20;
/** Milliseconds between two looks at the neighbour table when nothing is new: well under what an entry stays reachable. */
const comparisonPeriod = 10_000;
/** RFC 5227 section 2.1.1: a probe has no sender address, so it changes nobody's ARP cache. */
const noSender = "0.0.0.0";

export interface GatewayKeeperOptions {
  readonly sender: FrameSender;
  readonly commands: CommandRunner;
  /** A gateway fell silent, or answers again. */
  readonly onChange: () => void;
  readonly log: AgentLog;
}

/**
 * Keeps the gateways of the networks in the kernel's neighbour table: a node without an address on the segment could ask
 * for them only in a way that gateways ignore. Who answers, or an EVPN route, says where a gateway is.
 */
export class GatewayKeeper {
  readonly #options: GatewayKeeperOptions;
  readonly #writes: Coalesced;
  readonly #looks: NodeJS.Timeout;
  readonly #comparisons: NodeJS.Timeout;
  #resolutions: Resolutions = noResolutions;
  /** By network, what its EVPN routes say of addresses. */
  readonly #learned = new Map<string, NeighbourLookup>();
  #kept: readonly NeighbourEntry[] = [];
  #silent = "";

  constructor(options: GatewayKeeperOptions) {
    this.#options = options;
    this.#writes = new Coalesced(
      () => this.#write(),
      writeDelay,
      (error) => options.log.warn({ error: error.message }, "a gateway's neighbour entry could not be kept"),
    );
    this.#looks = setInterval(() => this.#ask(), lookPeriod);
    this.#comparisons = setInterval(() => this.#writes.request(), comparisonPeriod);
  }

  /** The gateways to keep from now on; new ones are asked for before this returns. */
  set(targets: readonly GatewayTarget[]): void {
    this.#resolutions = followGateways(this.#resolutions, targets, performance.now());
    const networks = new Set(targets.map(({ network }) => network));
    for (const network of this.#learned.keys()) {
      if (!networks.has(network)) {
        this.#learned.delete(network);
      }
    }
    this.#ask();
  }

  /** What the EVPN routes of a network say of addresses. */
  learn(network: string, neighbour: NeighbourLookup): void {
    this.#learned.set(network, neighbour);
    // Hosts move all the time, gateways hardly ever: a look at the neighbour table for each move would cost more than the move.
    if (!isDeepStrictEqual(this.#wanted(), this.#kept)) {
      this.#writes.request();
    }
  }

  /** Somebody sent ARP on an interface of the node. */
  hear(device: string, sender: ArpSender): void {
    const before = this.#resolutions;
    this.#resolutions = hearGateway(before, device, sender, performance.now());
    if (this.#resolutions !== before && !this.#stands(device, sender)) {
      this.#writes.request();
    }
  }

  /** By network: gateways that do not answer, for people. */
  notices(): ReadonlyMap<string, readonly PlanCondition[]> {
    const silent = silentGateways(this.#resolutions, performance.now()).filter(
      (target) => this.#learnedMac(target) === undefined,
    );
    const byNetwork = Map.groupBy(silent, ({ network }) => network);
    return new Map([...byNetwork].map(([network, targets]) => [network, targets.map(gatewaySilent)]));
  }

  /** The entries stay, as what the kernel has to ask for itself before long. */
  async close(): Promise<void> {
    clearInterval(this.#looks);
    clearInterval(this.#comparisons);
    await this.#writes.close();
    await leaveNeighbours(this.#options.commands, this.#kept).catch((error: Error) =>
      this.#options.log.warn({ error: error.message }, "the gateways' neighbour entries stay reachable for a while"),
    );
  }

  #ask(): void {
    const { questions, resolutions } = takeQuestions(this.#resolutions, performance.now(), Math.random);
    this.#resolutions = resolutions;
    for (const { device, mac, gateway, sender } of questions) {
      try {
        this.#options.sender.send(device, gatewayRequest(mac, sender ?? noSender, gateway));
      } catch {
        // The interface went; the next pass says so, and asks for no gateway behind it.
      }
    }
    const silent = [...this.notices().keys()].join(" ");
    if (silent !== this.#silent) {
      this.#silent = silent;
      this.#options.onChange();
    }
  }

  async #write(): Promise<void> {
    this.#kept = this.#wanted();
    await keepNeighbours(this.#options.commands, this.#kept);
  }

  #wanted(): readonly NeighbourEntry[] {
    const entries = gatewayEntries(this.#resolutions, (target) => this.#learnedMac(target), performance.now());
    return entries.map(({ device, gateway, mac }) => ({ device, address: gateway, mac }));
  }

  #stands(device: string, { address, mac }: ArpSender): boolean {
    return this.#kept.some((entry) => entry.device === device && entry.address === address && entry.mac === mac);
  }

  #learnedMac({ network, gateway }: GatewayTarget): string | undefined {
    return this.#learned.get(network)?.(gateway);
  }
}

function gatewaySilent({ device, gateway, sender }: GatewayTarget): PlanCondition {
  const asWhom = sender === undefined ? "a probe without sender" : `${sender} as sender`;
  return {
    reason: "GatewaySilent",
    message:
      `${gateway} has not answered ARP on ${device} for ${silenceLimit / 1000} s (asked with ${asWhom}), so packets of this ` +
      "network cannot leave; look whether the gateway is on this segment and takes the node's MAC",
  };
}
