import type { ChildProcess } from "node:child_process";
import { waitFor } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { childEnd, signalEntered } from "../../lab/processes/index.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { type GobgpRoute, parseGobgpRib } from "./gobgp-rib.js";
import { signalPaused } from "./pause.js";

/** Both majors from Go modules, and what Debian 12 ships (3.10). */
export const gobgpReleases = ["v4", "v3", "debian"] as const;
export type GobgpRelease = (typeof gobgpReleases)[number];

/** A route as the words of `gobgp global rib add -a evpn`. */
export type RouteWords = readonly string[];

export interface GobgpNeighbour {
  readonly address: string;
  readonly asn: number;
  /** TCP MD5 (RFC 2385). */
  readonly password?: string;
  /** It connects; else it waits for the neighbour to connect, as a reflector does. */
  readonly active?: boolean;
  /** It passes routes of internal neighbours on to this one (RFC 4456). */
  readonly client?: boolean;
}

export interface GobgpSettings {
  readonly asn: number;
  readonly routerId: string;
  /** Seconds. */
  readonly holdTime: number;
  readonly neighbours: readonly GobgpNeighbour[];
  /** Seconds (RFC 4724 section 3); 60 when absent. */
  readonly restartTime?: number;
  /** Seconds for which it asks to keep its routes after that (RFC 9494); long-lived graceful restart is off when absent. */
  readonly staleTime?: number;
}

/** gobgpd in a place of a test's fabric. */
export class GobgpDaemon {
  #daemon: ChildProcess | undefined;

  private constructor(
    private readonly fabric: TestNamespaces,
    readonly place: string,
    private readonly release: GobgpRelease,
  ) {}

  static async start(
    fabric: TestNamespaces,
    place: string,
    release: GobgpRelease,
    settings: GobgpSettings,
  ): Promise<GobgpDaemon> {
    const gobgp = new GobgpDaemon(fabric, place, release);
    await fabric.exec(place, ["sh", "-c", 'cat > "$0"', gobgp.#configuration], { input: configuration(settings) });
    await gobgp.startAgain();
    return gobgp;
  }

  /** @param options such as `-r`, graceful restart (RFC 4724): it says that it has kept forwarding */
  async startAgain(...options: readonly string[]): Promise<void> {
    const argv = [program(this.release, "gobgpd"), "-f", this.#configuration, "--api-hosts", "127.0.0.1:50051"];
    // Go listens with MPTCP by default, which has no TCP MD5: v3 then says "failed to set md5: protocol not available".
    const environment = ["env", "GODEBUG=multipathtcp=0"];
    this.#daemon = this.fabric.spawn(this.place, [...environment, ...argv, ...options], { stdio: "ignore" });
    await waitFor(`gobgpd of ${this.place}`, async () => (await this.#run("global")).code === 0);
  }

  /** What the `gobgp` command of the same release prints. */
  async command(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#run(...words);
    if (code !== 0) {
      throw new Error(`gobgp ${words.join(" ")} of ${this.place}: ${stderr}${stdout}`);
    }
    return stdout;
  }

  /** Its EVPN routes, from itself and from its neighbours. */
  async rib(): Promise<readonly GobgpRoute[]> {
    return parseGobgpRib(await this.command("global", "rib", "-a", "evpn", "-j"));
  }

  async announce(...routes: readonly RouteWords[]): Promise<void> {
    for (const route of routes) await this.command("global", "rib", "add", "-a", "evpn", ...route);
  }

  async withdraw(...routes: readonly RouteWords[]): Promise<void> {
    for (const route of routes) await this.command("global", "rib", "del", "-a", "evpn", ...route);
  }

  /** SIGSTOP makes it mute while its connections stay, SIGCONT lets it go on. */
  async signal(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
    if (this.#daemon !== undefined) {
      await signalPaused(this.#daemon, signal);
    }
  }

  /** SIGKILL closes its connections without a farewell. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.#daemon !== undefined) {
      await signalEntered(this.#daemon, ENTRY_WAITING_PARENTS, signal);
      await childEnd(this.#daemon);
    }
  }

  get #configuration(): string {
    return `/run/gobgpd-${this.place}.toml`;
  }

  #run(...words: readonly string[]) {
    return this.fabric.exec(this.place, [program(this.release, "gobgp"), ...words], { check: false });
  }
}

function program(release: GobgpRelease, name: "gobgp" | "gobgpd"): string {
  return release === "debian" ? `/usr/bin/${name}` : locateToolchain().path(`${name}-${release}`);
}

function configuration(settings: GobgpSettings): string {
  const { asn, routerId, neighbours } = settings;
  return `[global.config]
  as = ${asn}
  router-id = "${routerId}"
${neighbours.map((neighbour) => neighbourConfiguration(neighbour, settings)).join("")}`;
}

/** Keepalives come at a third of the hold time (RFC 4271 section 4.4), which GoBGP does not derive. */
function neighbourConfiguration(
  { address, asn, password, active = false, client = false }: GobgpNeighbour,
  { routerId, holdTime, restartTime = 60, staleTime }: GobgpSettings,
): string {
  return `[[neighbors]]
  [neighbors.config]
    neighbor-address = "${address}"
    peer-as = ${asn}
${password === undefined ? "" : `    auth-password = "${password}"\n`}  [neighbors.timers.config]
    hold-time = ${holdTime}
    keepalive-interval = ${Math.floor(holdTime / 3)}
    idle-hold-time-after-reset = 1
    connect-retry = 2
  [neighbors.transport.config]
    passive-mode = ${!active}
${
  client
    ? `  [neighbors.route-reflector.config]
    route-reflector-client = true
    route-reflector-cluster-id = "${routerId}"
`
    : ""
}  [neighbors.graceful-restart.config]
    enabled = true
    restart-time = ${restartTime}
    long-lived-enabled = ${staleTime !== undefined}
  [[neighbors.afi-safis]]
    [neighbors.afi-safis.config]
      afi-safi-name = "l2vpn-evpn"
    [neighbors.afi-safis.mp-graceful-restart.config]
      enabled = true
${
  staleTime === undefined
    ? ""
    : `    [neighbors.afi-safis.long-lived-graceful-restart.config]
      enabled = true
      restart-time = ${staleTime}
`
}`;
}
