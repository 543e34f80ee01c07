import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ForwardingState } from "../../agent-image/agent/evpn/forwarding-state.js";
import { type LabProcess, waitFor } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { childEnd, signalEntered } from "../../lab/processes/index.js";
import type { PlanCondition, SessionStatus, SpeakerPlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import type { SpeakerCall } from "./speaker-driver.js";

/** Where a speaker can run: a lab, or the fabric of a test through {@link inFabric}. */
export interface SpeakerHost {
  spawn(
    place: string,
    argv: readonly string[],
    options: { readonly stdio: ["pipe", "pipe", "inherit"] },
  ): Pick<LabProcess, "child" | "exit" | "kill">;
}

export function inFabric(fabric: TestNamespaces): SpeakerHost {
  return {
    spawn: (place, argv, options) => {
      const child = fabric.spawn(place, argv, options);
      const kill = (signal: NodeJS.Signals = "SIGTERM") => signalEntered(child, ENTRY_WAITING_PARENTS, signal);
      return { child, exit: childEnd(child), kill };
    },
  };
}

/** A speaker that runs as a program of its own in a place. */
export class RemoteSpeaker {
  readonly #process: ReturnType<SpeakerHost["spawn"]>;
  readonly #answers: AsyncIterator<string>;

  /** @param options `restarted`: it follows one that left forwarding in the kernel */
  constructor(host: SpeakerHost, place: string, ...options: readonly "restarted"[]) {
    const program = [process.execPath, join(__dirname, "speaker-driver.js"), ...options];
    this.#process = host.spawn(place, program, { stdio: ["pipe", "pipe", "inherit"] });
    const { stdout } = this.#process.child;
    if (stdout === null) {
      throw new Error("the speaker's standard output is not a pipe");
    }
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async setNetworks(networks: readonly { network: string; plan: SpeakerPlan }[]): Promise<void> {
    await this.#ask({ call: "setNetworks", networks });
  }

  async setAddresses(network: string, addresses: readonly string[]): Promise<void> {
    await this.#ask({ call: "setAddresses", network, addresses });
  }

  async initialStateKnown(): Promise<void> {
    await this.#ask({ call: "initialStateKnown" });
  }

  /** As a mistake would that nobody has caught. */
  async endBfdThread(): Promise<void> {
    await this.#ask({ call: "endBfdThread" });
  }

  async sessions(network: string): Promise<readonly SessionStatus[]> {
    return (await this.#ask({ call: "sessions", network })) as SessionStatus[];
  }

  async forwarding(network: string): Promise<ForwardingState | undefined> {
    return ((await this.#ask({ call: "forwarding", network })) as ForwardingState | null) ?? undefined;
  }

  /** Waits for a forwarding state; else the last one that was seen is in the error. */
  async untilForwarding(
    network: string,
    what: string,
    holds: (state: ForwardingState) => boolean,
    timeout: number,
  ): Promise<void> {
    let last: ForwardingState | undefined;
    const probe = async () => {
      last = await this.forwarding(network);
      return last !== undefined && holds(last);
    };
    await waitFor(what, probe, { timeout, interval: 20 }).catch((error: Error) => {
      throw new Error(`${error.message}; it has ${JSON.stringify(last)}`);
    });
  }

  /** What is wrong with the routes of a network. */
  async notices(network: string): Promise<readonly PlanCondition[]> {
    return (await this.#ask({ call: "notices", network })) as PlanCondition[];
  }

  /** Ends the sessions as told, then the program. */
  async close(notify: boolean): Promise<void> {
    await this.#ask({ call: "close", notify });
    this.#process.child.stdin?.end();
    await this.#process.exit;
  }

  async kill(): Promise<void> {
    await this.#process.kill("SIGKILL");
    await this.#process.exit;
  }

  async #ask(call: SpeakerCall): Promise<unknown> {
    this.#process.child.stdin?.write(`${JSON.stringify(call)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) {
      throw new Error(`the speaker ended before it answered ${call.call}`);
    }
    return (JSON.parse(value) as { answer: unknown }).answer;
  }
}
