import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { enterLab } from "../../lab/isolation/index.js";
import { childEnd, childrenOf, type Result, type RunOptions, run } from "../../lab/processes/index.js";

/**
 * A /run of its own keeps the names of network namespaces apart from those of the machine. `cat` ends when the test's end of
 * the pipe closes, however the test ends, and with PID 1 go all processes and namespaces (pid_namespaces(7)).
 */
const HOLDER = `set -e
mount -t tmpfs -o mode=755 test-run /run
mkdir -p /run/netns
ip link set lo up
echo ready
exec cat`;

/** Network namespaces for one test, apart from the machine and from every other test. Needs root. */
export class TestNamespaces {
  private readonly holder: ChildProcess;
  private readonly pid: number;

  private constructor(holder: ChildProcess, pid: number) {
    this.holder = holder;
    this.pid = pid;
  }

  /** @param places Names of network namespaces to make, each with its loopback up. */
  static async start(places: readonly string[]): Promise<TestNamespaces> {
    const holder = spawn(
      "unshare",
      ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", HOLDER],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    const [first] = await Promise.race([once(createInterface({ input: holder.stdout }), "line"), once(holder, "exit")]);
    // A test that failed before its end may exit all the same; the pipe closes then.
    holder.unref();
    (holder.stdin as Socket).unref();
    (holder.stdout as Socket).unref();
    const [pid] = holder.pid === undefined ? [] : childrenOf(holder.pid);
    if (first !== "ready" || pid === undefined) throw new Error("unshare failed: kernel tests need root");
    const namespaces = new TestNamespaces(holder, pid);
    // In one program: entering costs more than all of this on an emulated processor.
    const make = 'for place; do ip netns add "$place"; ip -n "$place" link set lo up; done';
    await run(enterLab(pid, "admin", ["sh", "-e", "-c", make, "sh", ...places]));
    return namespaces;
  }

  /** Runs a program in a place to its end; see {@link run} for its errors. */
  exec(place: string, argv: readonly string[], options?: RunOptions): Promise<Result> {
    return run(enterLab(this.pid, place, argv), options);
  }

  /** `ip`, with its arguments separated by blanks. */
  async ip(place: string, ...commands: readonly string[]): Promise<void> {
    await this.exec(place, ["ip", "-batch", "-"], { input: commands.map((command) => `${command}\n`).join("") });
  }

  /** Standard output of a program that prints JSON. */
  async json(place: string, command: string): Promise<unknown> {
    return JSON.parse((await this.exec(place, command.split(" "))).stdout);
  }

  /** `bridge`, with its arguments separated by blanks. */
  async bridge(place: string, ...commands: readonly string[]): Promise<void> {
    await this.exec(place, ["bridge", "-batch", "-"], { input: commands.map((command) => `${command}\n`).join("") });
  }

  async sysctl(place: string, ...settings: readonly string[]): Promise<void> {
    await this.exec(place, ["sysctl", "-q", "-w", ...settings]);
  }

  async nft(place: string, ruleset: string): Promise<void> {
    await this.exec(place, ["nft", "-f", "-"], { input: ruleset });
  }

  /** Starts a program in a place; it ends with the namespaces at the latest. */
  spawn(place: string, argv: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const [program = "", ...args] = enterLab(this.pid, place, argv);
    return spawn(program, args, options);
  }

  /** A cable between two places. */
  async connect(place: string, device: string, otherPlace: string, otherDevice: string): Promise<void> {
    await this.ip(
      place,
      `link add ${device} type veth peer name ${otherDevice} netns ${otherPlace}`,
      `link set ${device} up`,
    );
    await this.ip(otherPlace, `link set ${otherDevice} up`);
  }

  /** Ends every process and namespace. */
  async end(): Promise<void> {
    this.holder.ref();
    this.holder.stdin?.end();
    await childEnd(this.holder);
  }
}
