import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";
import { cacheDirectory } from "./cache.js";
import { insideFrr, isReflector } from "./fabric/frr-entry.js";
import { ADMIN, ENTRY_WAITING_PARENTS, enterProcess, Isolation } from "./isolation/index.js";
import {
  childEnd,
  type DaemonSpec,
  findDaemon,
  type ProcessIdentity,
  type Result,
  type RunOptions,
  run,
  type StopOptions,
  signalEntered,
  stopDaemon,
} from "./processes/index.js";
import { nodeNames } from "./topology.js";

/** The lab that `npm start` leaves up. */
export const DEFAULT_LAB = "default";

/** Nobody in a lab can reach the proxy that the machine may use, and everything in it is reached directly. */
export const WITHOUT_PROXY = { NO_PROXY: "*", no_proxy: "*" } as const;

/** Names become folder and cgroup names. */
const LAB_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

export interface LabDaemonSpec extends Pick<DaemonSpec, "argv" | "env" | "ready" | "readyTimeout" | "waitingParents"> {
  /** Names its log and its pid file. */
  readonly name: string;
}

/** A program in the lab that runs beside this process and ends with it. */
export interface LabProcess {
  /** The local end: its streams, and its `exit` and `close` events. Signals go through {@link LabProcess.kill}. */
  readonly child: ChildProcess;
  /** Exit code; 128 + signal number when a signal ended it. */
  readonly exit: Promise<number>;
  /** Signals the program itself; SIGTERM when left out. Nothing happens when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** One lab by its name, up or not. */
export class Lab {
  readonly name: string;
  /** Logs, pid files, keys: all that the lab keeps on disk. */
  readonly stateDirectory: string;
  /** The administrator's kubeconfig; it works in the place `admin`. */
  readonly kubeconfig: string;

  constructor(name: string) {
    if (!LAB_NAME.test(name)) {
      throw new Error(
        `lab name "${name}": use up to 40 lower-case letters, digits and hyphens, such as "${DEFAULT_LAB}"`,
      );
    }
    this.name = name;
    this.stateDirectory = join(cacheDirectory(), "lab", name);
    this.kubeconfig = join(this.stateDirectory, "pki", "admin.kubeconfig");
  }

  /** @throws When the lab is not up. */
  get isolation(): Isolation {
    const isolation = Isolation.find(this.stateDirectory);
    if (isolation === undefined) throw new Error(`lab "${this.name}" is not up; start it with: npm run lab -- up`);
    return isolation;
  }

  logFile(name: string): string {
    return join(this.stateDirectory, "log", `${name}.log`);
  }

  /** Holds "pid starttime"; for n1, n2 and n3 that of the node's PID 1, once the cluster has started the node. */
  pidFile(name: string): string {
    return join(this.stateDirectory, "run", `${name}.pid`);
  }

  /**
   * The command line that runs `argv` in a place: all namespaces of a node that Kubernetes runs on, the network namespace
   * of any other place, or the lab's root namespace for `admin`.
   */
  command(place: string, argv: readonly string[]): readonly string[] {
    const node = (nodeNames as readonly string[]).includes(place) ? findDaemon(this.pidFile(place)) : undefined;
    if (node !== undefined) return enterProcess(node.pid, argv);
    return this.isolation.command(place, isReflector(place) ? insideFrr(place, argv) : argv);
  }

  /** Runs a program in a place of the lab to its end. Its working directory is `/` unless `cwd` says otherwise. */
  async exec(place: string, argv: readonly string[], options: RunOptions = {}): Promise<Result> {
    const { cwd, env, ...rest } = options;
    return run(this.command(place, inDirectory(cwd, argv)), { ...rest, env: this.environment(place, env) });
  }

  /** Like {@link Lab.exec} in the lab's root namespace, from where the API server is reached; KUBECONFIG is set. */
  admin(argv: readonly string[], options: RunOptions = {}): Promise<Result> {
    return this.exec(ADMIN, argv, options);
  }

  /** Starts a program in a place of the lab; it ends with this process at the latest. */
  spawn(
    place: string,
    argv: readonly string[],
    options: {
      readonly cwd?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly stdio?: SpawnOptions["stdio"];
    } = {},
  ): LabProcess {
    const entered = this.command(place, [
      ...ending,
      "env",
      "--default-signal=INT,QUIT",
      ...inDirectory(options.cwd, argv),
    ]);
    const [program = "", ...args] = [...ending, "env", "--ignore-signal=INT,QUIT", ...entered];
    const child = spawn(program, args, {
      env: { ...process.env, ...this.environment(place, options.env) },
      stdio: options.stdio ?? "pipe",
    });
    return {
      child,
      exit: childEnd(child),
      kill: (signal = "SIGTERM") => signalEntered(child, ENTRY_WAITING_PARENTS, signal),
    };
  }

  /** Starts a daemon in a place of the lab. It stays until it is stopped or the lab ends. */
  startDaemon(place: string, spec: LabDaemonSpec): Promise<ProcessIdentity> {
    return this.isolation.startDaemon(place, {
      ...spec,
      argv: isReflector(place) ? insideFrr(place, spec.argv) : spec.argv,
      env: this.environment(place, spec.env),
      log: this.logFile(spec.name),
      pidFile: this.pidFile(spec.name),
      cwd: "/",
    });
  }

  stopDaemon(name: string, options: StopOptions = {}): Promise<void> {
    return stopDaemon(this.pidFile(name), options);
  }

  private environment(place: string, env: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return { ...WITHOUT_PROXY, ...(place === ADMIN ? { KUBECONFIG: this.kubeconfig } : {}), ...env };
  }
}

export function openLab(name: string = DEFAULT_LAB): Lab {
  return new Lab(name);
}

/**
 * nsenter hands no signal on and does not take its child with it. So both end with their parent (prctl(2)), and Ctrl-C, which
 * the terminal sends to all, must not end nsenter before the program in the lab has had its say.
 */
const ending = ["setpriv", "--pdeathsig", "KILL", "--"];

/** nsenter starts in the root directory of the namespaces that it enters. */
function inDirectory(cwd: string | undefined, argv: readonly string[]): readonly string[] {
  return cwd === undefined ? argv : ["env", `--chdir=${cwd}`, ...argv];
}
