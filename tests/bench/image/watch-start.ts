/**
 * Runs on a node of the lab. `watch-start.js NETWORKS FORMER` waits for an agent other than the process FORMER, follows its
 * status until all networks and their sessions are well, and prints an AgentStart as JSON. `watch-start.js pid` prints the
 * number of the agent's process, `watch-start.js memory` an AgentMemory.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { RouterNodeStatus } from "../../../model/index.js";
import { memoryOf } from "./agent-memory.js";
import type { AgentStart } from "./agent-start.js";

/** Clock ticks of /proc in a second (sysconf(_SC_CLK_TCK), 100 on Linux for all processors). */
const TICKS = 100;

function agents(): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return (
        readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").slice(-3).join(" ") === "/usr/bin/vlan-router agent "
      );
    } catch {
      // It has ended since.
      return false;
    }
  });
}

/** Milliseconds on the clock of `Date.now`. */
function startOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Field 22, where field 2, in brackets, may contain blanks (proc_pid_stat(5)).
  const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  return Date.now() - (uptime - ticks / TICKS) * 1_000;
}

function statusOf(pid: string): RouterNodeStatus | undefined {
  try {
    return JSON.parse(readFileSync(`/proc/${pid}/root/run/vlan-router/status.json`, "utf8")) as RouterNodeStatus;
  } catch {
    return undefined;
  }
}

const networksAreUp = ({ networks }: RouterNodeStatus) =>
  networks.every(({ interface: { state }, drift }) => state === "up" && drift.length === 0);

const sessionsAreUp = ({ networks }: RouterNodeStatus) =>
  networks.every(({ sessions }) => sessions.length > 0 && sessions.every(({ state }) => state === "Established"));

async function watchStart(count: number, former: string): Promise<AgentStart> {
  let pid: string | undefined;
  while (pid === undefined) {
    pid = agents().find((candidate) => candidate !== former);
    await pause();
  }
  const began = startOf(pid);
  const since = () => Math.round(Date.now() - began);
  let firstStatus: number | undefined;
  let networks: number | undefined;
  for (;;) {
    const status = statusOf(pid);
    if (status !== undefined) {
      firstStatus ??= since();
      if (status.networks.length === count && networksAreUp(status)) {
        networks ??= since();
        if (sessionsAreUp(status)) return { firstStatus, networks, sessions: since(), ...memoryOf(pid) };
      }
    }
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

async function main([what = "", former = ""]: readonly string[]): Promise<unknown> {
  if (what === "pid") return agents()[0];
  if (what === "memory") return memoryOf(agents()[0] ?? "");
  return watchStart(Number(what), former);
}

void main(process.argv.slice(2)).then((answer) => process.stdout.write(JSON.stringify(answer)));
