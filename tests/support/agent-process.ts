import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "../../lab/index.js";
import { childrenOf, type Result, type RunOptions } from "../../lab/processes/index.js";
import type { NetworkStatus, RouterNodeStatus } from "../../model/index.js";
import type { TestNamespaces } from "./namespace.js";

const agentProgram = join(__dirname, "..", "..", "agent-image", "agent", "main.js");

/** A line of the agent's log. */
export interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Where an agent can run: network namespaces of a test, or a lab. */
export interface AgentHost {
  exec(place: string, argv: readonly string[], options?: RunOptions): Promise<Result>;
  /** Standard output is a pipe; `kill` signals the program itself. */
  start(place: string, argv: readonly string[]): { readonly child: ChildProcess; kill(signal: NodeJS.Signals): void };
}

export function inNamespaces(namespaces: TestNamespaces): AgentHost {
  return {
    exec: (place, argv, options) => namespaces.exec(place, argv, options),
    start: (place, argv) => {
      const child = namespaces.spawn(place, argv, { stdio: ["ignore", "pipe", "inherit"] });
      // nsenter forks to enter the PID namespace; it passes on the exit code of its child, but no signals to it.
      const kill = (signal: NodeJS.Signals): void => {
        for (const pid of childrenOf(child.pid ?? 0)) {
          process.kill(pid, signal);
        }
      };
      return { child, kill };
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
    this.process = this.host.start(this.place, this.command("agent", this.source, this.path("source"), ...options));
    const { stdout } = this.process.child;
    if (stdout !== null) {
      createInterface({ input: stdout }).on("line", (line) => this.log.push(JSON.parse(line) as LogLine));
    }
  }

  /** Ends the agent by a signal. Returns its exit code, and how long it took in milliseconds. */
  async stop(
    signal: "SIGTERM" | "SIGKILL" = "SIGTERM",
  ): Promise<{ readonly code: number | null; readonly took: number }> {
    const running = this.process;
    if (running === undefined) {
      throw new Error("the agent does not run");
    }
    this.process = undefined;
    const started = performance.now();
    const ended = once(running.child, "exit");
    running.kill(signal);
    const [code] = (await ended) as [number | null];
    return { code, took: performance.now() - started };
  }

  async status(): Promise<RouterNodeStatus | undefined> {
    const text = await readFile(this.path("status.json"), "utf8").catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as RouterNodeStatus);
  }

  /** Waits until the status says so; the last one is in the error. */
  async until(
    what: string,
    holds: (networks: ReadonlyMap<string, NetworkStatus>) => boolean,
    limit = 20_000,
  ): Promise<void> {
    const deadline = performance.now() + limit;
    for (;;) {
      const status = await this.status();
      if (status !== undefined && holds(new Map(status.networks.map((network) => [network.name, network])))) {
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
