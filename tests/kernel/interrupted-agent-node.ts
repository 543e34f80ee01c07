import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import type { NetworkStatus } from "../../model/index.js";
import { type AgentHost, AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, startNode } from "./base-node.js";
import { type WholeKernelState, wholeKernelState } from "./whole-kernel-state.js";

/** By VNI alone they differ, which is all of the name, the interface, the table and the rules. */
const vnis = { before: 228, interrupted: 229 } as const;

/** What comes after an agent that was killed on its way from one VNI to the other. */
export const GOALS = ["the same configuration", "the old configuration", "a clean-up"] as const;
export type AfterDeath = (typeof GOALS)[number];

/** Of what stands in the end. */
const vniAfter: Readonly<Record<AfterDeath, number | undefined>> = {
  "the same configuration": vnis.interrupted,
  "the old configuration": vnis.before,
  "a clean-up": undefined,
};

/** What the state directory holds then. A node that was restored or reinstalled holds that of another time, or nothing. */
export const STATE_FILES = ["as they were left", "missing", "truncated", "of another time"] as const;
export type StateFiles = (typeof STATE_FILES)[number];

/** Milliseconds in which an interface has its operational state (link_watch.c: once in a second). */
const SETTLED_MS = 1_200;

const yaml = (vni: number): string => baseYaml.replace("vni: 228", `vni: ${vni}`);

/** A node on which whole agents are killed, by programs that stop in the middle of what an agent told them to do. */
export class InterruptedAgentNode {
  private readonly expected = new Map<number | undefined, WholeKernelState>();
  private stopsAfter: number | undefined;

  private constructor(
    private readonly namespaces: TestNamespaces,
    private readonly folder: string,
  ) {}

  static async start(): Promise<InterruptedAgentNode> {
    const namespaces = await startNode();
    const node = new InterruptedAgentNode(namespaces, await mkdtemp(join(tmpdir(), "vlan-router-stopping-")));
    for (const program of ["ip", "bridge", "nft"]) {
      await writeFile(join(node.folder, program), stoppingProgram(program, node.folder), { mode: 0o755 });
    }
    node.expected.set(undefined, await wholeKernelState(namespaces, "n1"));
    await node.withAgent(async (agent) => {
      for (const vni of Object.values(vnis)) {
        await node.carry(agent, vni);
        await sleep(SETTLED_MS);
        node.expected.set(vni, await wholeKernelState(namespaces, "n1"));
        await agent.stop();
        if (vni === vnis.interrupted) await copyFile(lastGood(agent), node.otherState());
        await node.cleanUp(agent);
      }
    });
    return node;
  }

  /** What an undisturbed agent has its programs do on that way. */
  undisturbed(): Promise<readonly string[]> {
    return this.withAgent(async (agent) => {
      await this.carry(agent, vnis.before);
      await agent.stop();
      await this.forget();
      this.stopsAfter = Number.MAX_SAFE_INTEGER;
      await this.carry(agent, vnis.interrupted);
      await agent.stop();
      this.stopsAfter = undefined;
      const done = await this.carriedOut();
      await this.cleanUp(agent);
      return done;
    });
  }

  /** Kills an agent when its programs have carried out some commands, and compares what comes of the next start. */
  interrupt(after: number, files: StateFiles, goal: AfterDeath): Promise<void> {
    return this.withAgent(async (agent) => {
      await this.carry(agent, vnis.before);
      await agent.stop();
      await this.forget();
      this.stopsAfter = after;
      await agent.configure(yaml(vnis.interrupted));
      agent.start();
      await waitFor("the programs to stop", async () => (await this.carriedOut()).length >= after, { interval: 5 });
      await agent.stop("SIGKILL");
      this.stopsAfter = undefined;
      await this.change(files, agent);
      const vni = vniAfter[goal];
      if (vni === undefined) {
        await this.cleanUp(agent);
      } else {
        await this.carry(agent, vni);
        await this.compare(vni);
        await agent.stop();
        await this.cleanUp(agent);
      }
    });
  }

  async end(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await this.namespaces.end();
  }

  private async withAgent<T>(work: (agent: AgentProcess) => Promise<T>): Promise<T> {
    const host = inNamespaces(this.namespaces);
    const stopping: AgentHost = {
      exec: host.exec,
      start: (place, argv) =>
        host.start(
          place,
          this.stopsAfter === undefined
            ? argv
            : ["env", `PATH=${this.folder}${delimiter}${process.env.PATH}`, `STOPS_AFTER=${this.stopsAfter}`, ...argv],
        ),
    };
    const agent = await AgentProcess.create(stopping, "n1", "--config", yaml(vnis.before));
    try {
      return await work(agent);
    } finally {
      this.stopsAfter = undefined;
      await agent.end();
    }
  }

  /** Starts an agent and waits until the network stands. */
  private async carry(agent: AgentProcess, vni: number): Promise<void> {
    await agent.configure(yaml(vni));
    agent.start();
    await agent.until(`the plan of VNI ${vni} stands`, (networks) => networks.size === 1 && stands(networks, vni));
  }

  private async cleanUp(agent: AgentProcess): Promise<void> {
    const { code, stderr } = await agent.run("cleanup", "--state-directory", agent.stateDirectory());
    assert.deepEqual([code, stderr], [0, ""]);
    await this.compare(undefined);
  }

  private async compare(vni: number | undefined): Promise<void> {
    const deadline = performance.now() + 3 * SETTLED_MS;
    for (;;) {
      const found = await wholeKernelState(this.namespaces, "n1");
      try {
        assert.deepEqual(found, this.expected.get(vni));
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }

  private async change(files: StateFiles, agent: AgentProcess): Promise<void> {
    switch (files) {
      case "as they were left":
        return;
      case "missing":
        return rm(agent.stateDirectory(), { recursive: true });
      case "truncated": {
        const text = await readFile(lastGood(agent), "utf8");
        return writeFile(lastGood(agent), text.slice(0, text.length / 2));
      }
      case "of another time":
        await mkdir(agent.stateDirectory(), { recursive: true });
        return copyFile(this.otherState(), lastGood(agent));
    }
  }

  private async carriedOut(): Promise<readonly string[]> {
    const text = await readFile(join(this.folder, "carried-out"), "utf8").catch(() => "");
    return text.split("\n").slice(0, -1);
  }

  private forget(): Promise<void> {
    return rm(join(this.folder, "carried-out"), { force: true });
  }

  /** Says that the network is carried to which the agent was only on its way. */
  private otherState(): string {
    return join(this.folder, "last-good.json");
  }
}

function lastGood(agent: AgentProcess): string {
  return join(agent.stateDirectory(), "last-good.json");
}

function stands(networks: ReadonlyMap<string, NetworkStatus>, vni: number): boolean {
  const conditions = networks.get(`vxlan${vni}`)?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Applied" && status === "True");
}

/** The program of that name; but after so many commands that change something it waits, and ends with the agent that started it. */
function stoppingProgram(program: string, folder: string): string {
  return `#!/bin/sh
PATH=${process.env.PATH}
carried_out() {
  printf '%s\\n' "$1" >>${folder}/carried-out
  [ "$(wc -l <${folder}/carried-out)" -ge "$STOPS_AFTER" ] || return 0
  while kill -0 $PPID 2>/dev/null; do sleep 0.02; done
  exit 1
}
case " $* " in
*" list "* | *" monitor "* | *json*) exec ${program} "$@" ;;
*" -batch "*)
  while IFS= read -r line; do
    printf '%s\\n' "$line" | ${program} "$@" || exit 1
    carried_out "$line"
  done
  ;;
*)
  ${program} "$@" || exit 1
  carried_out "${program} $*"
  ;;
esac
`;
}
