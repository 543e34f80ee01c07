import type { ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { childEnd, killFamily, type Result, type RunOptions, signalEntered } from "../../lab/processes/index.js";
import type { NetworkStatus, RouterNodeStatus } from "../../model/index.js";
import type { TestNamespaces } from "./namespace.js";

const agentProgram = join(__dirname, "..", "..", "agent-image", "agent", "main.js");

/** Many times what an orderly end takes. */
const STOP_LIMIT_MS = 30_000;

/** A line of the agent's log. */
export interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Where an agent can run: network namespaces of a test, or a lab. */
export interface AgentHost {
  exec(place: string, argv: readonly string[], options?: RunOptions): Promise<Result>;
  /** Standard output is a pipe; `kill` signals the program itself. */
  start(
    place: string,
    argv: readonly string[],
  ): { readonly child: ChildProcess; kill(signal: NodeJS.Signals): Promise<void> };
}

export function inNamespaces(namespaces: TestNamespaces): AgentHost {
  return {
    exec: (place, argv, options) => namespaces.exec(place, argv, options),
    start: (place, argv) => {
      const child = namespaces.spawn(place, argv, { stdio: ["ignore", "pipe", "inherit"] });
      return { child, kill: (signal) => signalEntered(child, ENTRY_WAITING_PARENTS, signal) };
    },
  };
}

export function inLab(lab: Lab): AgentHost {
  return {
    exec: (place, argv, options) => lab.exec(place, argv, options),
    start: (place, argv) => lab.spawn(place, argv, { stdio: ["ignore", "pipe", "inherit"] }),
  };
}

/** How the agent is told where its configuration comes from: options of `vlan-router agent`. */
export type AgentSource = "--config" | "--kubeconfig";

/** `vlan-router agent` in a place, with a source file, a state directory and a status file of its own. */
export class AgentProcess {
  readonly log: LogLine[] = [];
  private process: ReturnType<AgentHost["start"]> | undefined;
  /** Milliseconds of the clock that dates files; what a status file says that is older, no agent of this object said. */
  private startedAt = 0;

  private constructor(
    private readonly host: AgentHost,
    private readonly place: string,
    private readonly directory: string,
    private readonly source: AgentSource,
  ) {}

  /** @param content of the file that `source` names */
  static async create(host: AgentHost, place: string, source: AgentSource, content: string): Promise<AgentProcess> {
    const agent = new AgentProcess(host, place, await mkdtemp(join(tmpdir(), "vlan-router-agent-")), source);
    await agent.configure(content);
    return agent;
  }

  /** A second agent of the same node, with the same files. */
  static beside({ host, place, directory, source }: AgentProcess): AgentProcess {
    return new AgentProcess(host, place, directory, source);
  }

  /** Writes the file that the agent reads. */
  async configure(content: string): Promise<void> {
    await writeFile(this.path("source"), content);
  }

  /** @param options of `vlan-router agent` besides its files */
  start(...options: readonly string[]): void {
    this.startedAt = Date.now();
    this.process = this.host.start(this.place, this.command("agent", this.source, this.path("source"), ...options));
    const { stdout } = this.process.child;
    if (stdout !== null) {
      createInterface({ input: stdout }).on("line", (line) => this.log.push(JSON.parse(line) as LogLine));
    }
  }

  /**
   * Ends the agent by a signal. Returns its exit code, and how long it took in milliseconds.
   *
   * @throws when it does not end; it is killed then
   */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<{ readonly code: number; readonly took: number }> {
    const running = this.process;
    if (running === undefined) {
      throw new Error("the agent does not run");
    }
    this.process = undefined;
    const started = performance.now();
    await running.kill(signal);
    const tooLong = sleep(STOP_LIMIT_MS, undefined, { ref: false }).then(async () => {
      await killFamily(running.child.pid ?? 0);
      throw new Error(
        `the agent did not end within ${STOP_LIMIT_MS} ms after ${signal}; log ${JSON.stringify(this.log)}`,
      );
    });
    const code = await Promise.race([childEnd(running.child), tooLong]);
    return { code, took: performance.now() - started };
  }

  /** Waits until the agent has ended by itself; returns its exit code. */
  async ended(): Promise<number> {
    const running = this.process;
    if (running === undefined) {
      throw new Error("the agent does not run");
    }
    const code = await childEnd(running.child);
    this.process = undefined;
    return code;
  }

  async status(): Promise<RouterNodeStatus | undefined> {
    const text = await readFile(this.path("status.json"), "utf8").catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as RouterNodeStatus);
  }

  /** Waits until the status says so that the agent wrote since its last start; the last one is in the error. */
  async until(
    what: string,
    holds: (networks: ReadonlyMap<string, NetworkStatus>) => boolean,
    limit = 20_000,
  ): Promise<void> {
    const deadline = performance.now() + limit;
    for (;;) {
      const status = await this.status();
      if (
        status !== undefined &&
        (await this.wroteStatus()) &&
        holds(new Map(status.networks.map((network) => [network.name, network])))
      ) {
        return;
      }
      if (performance.now() > deadline) {
        throw new Error(
          `${what}: not within ${limit} ms; status ${JSON.stringify(status)}; log ${JSON.stringify(this.log)}`,
        );
      }
      await sleep(20);
    }
  }

  /** Runs a subcommand of `vlan-router` in the agent's place to its end, whatever its exit code. */
  run(...argv: readonly string[]): Promise<Result> {
    return this.host.exec(this.place, [process.execPath, agentProgram, ...argv], { check: false });
  }

  statusFile(): string {
    return this.path("status.json");
  }

  stateDirectory(): string {
    return this.path("state");
  }

  async end(): Promise<void> {
    if (this.process !== undefined) {
      await this.stop();
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Waits for a line of the log. */
  async logged(message: string, limit = 20_000): Promise<LogLine> {
    const deadline = performance.now() + limit;
    for (;;) {
      const line = this.log.find(({ msg }) => msg === message);
      if (line !== undefined) {
        return line;
      }
      if (performance.now() > deadline) {
        throw new Error(`no log line "${message}" within ${limit} ms in ${JSON.stringify(this.log)}`);
      }
      await sleep(20);
    }
  }

  private async wroteStatus(): Promise<boolean> {
    // An agent that starts takes away what its predecessor left.
    const written = await stat(this.statusFile()).catch(() => undefined);
    return written !== undefined && written.mtimeMs >= this.startedAt;
  }

  private path(name: string): string {
    return join(this.directory, name);
  }

  private command(...argv: readonly string[]): readonly string[] {
    const places = [
      "--node-name",
      this.place,
      "--state-directory",
      this.stateDirectory(),
      "--status-file",
      this.statusFile(),
    ];
    return [process.execPath, agentProgram, ...argv, ...places];
  }
}
