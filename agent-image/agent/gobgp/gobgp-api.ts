import type { PlanCondition } from "../../../model/index.js";
import { type Clock, systemClock } from "../bgp/session/clock.js";
import type { Log } from "../evpn/log.js";
import type { SpeakerNetwork } from "../evpn/session-plan.js";
import type { ObservedSpeaker } from "./api-calls.js";
import type { ApiServer } from "./api-server.js";

export interface GobgpApiOptions {
  readonly speaker: ObservedSpeaker;
  readonly log: Log;
  /** {@link GobgpApi.notices} may have changed. */
  readonly onChange: () => void;
  /** For tests; gRPC on the loopback otherwise. */
  readonly start?: (port: number, network: string, speaker: ObservedSpeaker) => Promise<ApiServer>;
  readonly clock?: Clock;
}

/** Milliseconds from the first network until the first port is opened: loading gRPC must not hold up the sessions. */
const startDelay = 5_000;

/** Milliseconds after which a port is tried again that another program holds. */
const retryInterval = 30_000;

interface OpenPort {
  readonly port: number;
  /** Undefined: being opened, or not to be had. */
  readonly server?: ApiServer;
  readonly failure?: string;
  readonly cancelRetry?: () => void;
}

/** GoBGP's API for each network, at the network's port. A network does not depend on it: what fails here is told and tried again. */
export class GobgpApi {
  readonly #options: Required<GobgpApiOptions>;
  readonly #ports = new Map<string, OpenPort>();
  #wanted: ReadonlyMap<string, number> = new Map();
  /** Undefined: no network was there yet. */
  #cancelStart: (() => void) | undefined;
  #started = false;

  constructor(options: GobgpApiOptions) {
    this.#options = { start: startOverGrpc, clock: systemClock, ...options };
  }

  setNetworks(networks: readonly SpeakerNetwork[]): void {
    this.#wanted = new Map(networks.map(({ network, plan }) => [network, plan.gobgpPort]));
    if (this.#started) {
      this.#update();
    } else if (networks.length > 0) {
      this.#cancelStart ??= this.#options.clock.schedule(startDelay, () => {
        this.#started = true;
        this.#update();
      });
    }
  }

  /** By network: why its API cannot be asked. */
  notices(): ReadonlyMap<string, readonly PlanCondition[]> {
    return new Map(
      [...this.#ports].flatMap(([network, { port, failure }]) =>
        failure === undefined ? [] : [[network, [portNotServed(port, failure)]] as const],
      ),
    );
  }

  close(): void {
    this.#cancelStart?.();
    this.#wanted = new Map();
    for (const network of [...this.#ports.keys()]) this.#close(network);
  }

  #update(): void {
    for (const [network, { port }] of [...this.#ports]) {
      if (this.#wanted.get(network) !== port) this.#close(network);
    }
    for (const [network, port] of this.#wanted) {
      if (!this.#ports.has(network)) void this.#open(network, port);
    }
  }

  async #open(network: string, port: number): Promise<void> {
    const { start, speaker, clock, log, onChange } = this.#options;
    const before = this.#ports.get(network)?.failure;
    const opening: OpenPort = { port, ...(before === undefined ? {} : { failure: before }) };
    this.#ports.set(network, opening);
    const outcome = await start(port, network, speaker).then(
      (server) => ({ server }),
      (error: Error) => ({ failure: error.message }),
    );
    // Meanwhile the network may have gone, or have another port.
    if (this.#ports.get(network) !== opening) {
      if ("server" in outcome) outcome.server.close();
      return;
    }
    if ("server" in outcome) {
      this.#ports.set(network, { port, server: outcome.server });
      log("info", "serving GoBGP's API", { network, port });
    } else {
      const cancelRetry = clock.schedule(retryInterval, () => void this.#open(network, port));
      this.#ports.set(network, { port, failure: outcome.failure, cancelRetry });
      if (outcome.failure !== before)
        log("warn", "cannot serve GoBGP's API", { network, port, error: outcome.failure });
    }
    if (this.#ports.get(network)?.failure !== before) onChange();
  }

  #close(network: string): void {
    const open = this.#ports.get(network);
    open?.cancelRetry?.();
    open?.server?.close();
    this.#ports.delete(network);
  }
}

function portNotServed(port: number, failure: string): PlanCondition {
  return {
    reason: "GobgpPortNotServed",
    message:
      `gobgp cannot ask for this network at 127.0.0.1 port ${port} (${failure}); the network itself does not ` +
      `depend on it; ss -Hltnp sport = :${port} names a program that holds the port, bgp.gobgpPort sets another`,
  };
}

async function startOverGrpc(port: number, network: string, speaker: ObservedSpeaker): Promise<ApiServer> {
  // Loaded only here: it takes longer than the rest of the agent's start.
  const { startApiServer } = await import("./api-server.js");
  return startApiServer(port, network, speaker);
}
