import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf, type Result } from "../../lab/processes/index.js";
import type { NetworkStatus, RouterNodeStatus } from "../../model/index.js";
import type { TestNamespaces } from "./namespace.js";

const agentProgram = join(__dirname, "..", "..", "agent-image", "agent", "main.js");

/** A line of the agent's log. */
export interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** How the agent is told where its configuration comes from: options of `vlan-router agent`. */
export type AgentSource = "--config" | "--kubeconfig";

/** `vlan-router agent` in a place, with a source file, a state directory and a status file of its own. */
export class AgentProcess {
  readonly log: LogLine[] = [];
  private process: ChildProcess | undefined;

  private constructor(
    private readonly namespaces: TestNamespaces,
    private readonly place: string,
    private readonly directory: string,
    private readonly source: AgentSource,
  ) {}

  /** @param content of the file that `source` names */
  static async create(
    namespaces: TestNamespaces,
    place: string,
    source: AgentSource,
    content: string,
  ): Promise<AgentProcess> {
    const agent = new AgentProcess(namespaces, place, await mkdtemp(join(tmpdir(), "vlan-router-agent-")), source);
    await agent.configure(content);
    return agent;
  }

  /** A second agent of the same node, with the same files. */
  static beside({ namespaces, place, directory, source }: AgentProcess): AgentProcess {
    return new AgentProcess(namespaces, place, directory, source);
  }

  /** Writes the file that the agent reads. */
  async configure(content: string): Promise<void> {
    await writeFile(this.path("source"), content);
  }

  start(): void {
    const child = this.namespaces.spawn(this.place, this.command("agent", this.source, this.path("source")), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.process = child;
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => this.log.push(JSON.parse(line) as LogLine));
    }
  }

  /** Ends the agent by a signal. Returns its exit code, and how long it took in milliseconds. */
  async stop(
    signal: "SIGTERM" | "SIGKILL" = "SIGTERM",
  ): Promise<{ readonly code: number | null; readonly took: number }> {
    const child = this.process;
    if (child?.pid === undefined) {
      throw new Error("the agent does not run");
    }
    this.process = undefined;
    const started = performance.now();
    const ended = once(child, "exit");
    // nsenter forks to enter the PID namespace; it passes on the exit code of its child, but no signals to it.
    for (const pid of childrenOf(child.pid)) {
      process.kill(pid, signal);
    }
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
    return this.namespaces.exec(this.place, [process.execPath, agentProgram, ...argv], { check: false });
  }

  statusFile(): string {
    return this.path("status.json");
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
      this.path("state"),
      "--status-file",
      this.statusFile(),
    ];
    return [process.execPath, agentProgram, ...argv, ...places];
  }
}
