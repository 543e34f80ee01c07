import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type DaemonSpec,
  findDaemon,
  type ProcessIdentity,
  startDaemon,
  stopDaemon,
  waitFor,
} from "../processes/index.js";
import { ENTRY_WAITING_PARENTS, enterLab } from "./entry.js";
import { holderScript, readyMarker } from "./holder.js";
import { allPids, namespacesOf, sharesOne } from "./namespaces.js";

/**
 * The lab's own network, mount and pid namespace. One process holds them, PID 1 of the pid namespace: when it ends, the
 * kernel ends every process of the lab (pid_namespaces(7)), and with the last of them go mounts and network namespaces.
 */
export class Isolation {
  /** PID 1 of the lab, as the machine sees it. */
  readonly holder: ProcessIdentity;
  private readonly stateDirectory: string;

  private constructor(stateDirectory: string, holder: ProcessIdentity) {
    this.stateDirectory = stateDirectory;
    this.holder = holder;
  }

  /** Makes the namespaces. They stay when this process ends. */
  static async start(stateDirectory: string): Promise<Isolation> {
    const holder = await startDaemon({
      name: "the lab's isolation",
      argv: [
        "unshare",
        "--net",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "sh",
        "-c",
        holderScript,
      ],
      log: join(stateDirectory, "log", "isolation.log"),
      pidFile: pidFile(stateDirectory),
      cwd: "/",
      waitingParents: 1,
      ready: ({ pid }) => existsSync(rootOf(pid, readyMarker)),
    });
    return new Isolation(stateDirectory, holder);
  }

  /** The lab of this state directory, when it is alive. */
  static find(stateDirectory: string): Isolation | undefined {
    const holder = findDaemon(pidFile(stateDirectory));
    return holder === undefined ? undefined : new Isolation(stateDirectory, holder);
  }

  /** The command line that runs `argv` in a place of the lab; see {@link enterLab}. */
  command(place: string, argv: readonly string[]): readonly string[] {
    return enterLab(this.holder.pid, place, argv);
  }

  /** Where this machine sees a file of the lab's mount namespace. */
  path(inside: string): string {
    return rootOf(this.holder.pid, inside);
  }

  /** Starts a daemon in a place of the lab. `waitingParents` counts only those of the given `argv`. */
  startDaemon(place: string, spec: DaemonSpec): Promise<ProcessIdentity> {
    return startDaemon({
      ...spec,
      argv: this.command(place, spec.argv),
      waitingParents: ENTRY_WAITING_PARENTS + (spec.waitingParents ?? 0),
    });
  }

  /** Ends every process and namespace of the lab, and returns when they are gone. */
  async end(): Promise<void> {
    const namespaces = namespacesOf(this.holder.pid);
    await stopDaemon(pidFile(this.stateDirectory), { signal: "SIGKILL" });
    // The processes of the pid namespace end before its PID 1 does. Those that entered from outside and wait for one of them
    // end a moment later, and until then they hold the lab's mounts.
    await waitFor("the last process to leave the lab", () => !allPids().some((pid) => sharesOne(pid, namespaces)), {
      interval: 5,
    });
  }
}

function rootOf(pid: number, inside: string): string {
  return join("/proc", String(pid), "root", inside);
}

function pidFile(stateDirectory: string): string {
  return join(stateDirectory, "run", "isolation.pid");
}
