import { readFileSync } from "node:fs";
import type { AgentMemory } from "./agent-start.js";

/** Of a process by its number (proc_pid_status(5)), MiB. */
export function memoryOf(pid: string): AgentMemory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const value = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  return { resident: value("VmRSS"), highest: value("VmHWM") };
}
