import type { ChildProcess } from "node:child_process";
import { type EvpnRoute, parseEvpnRoutes } from "../../lab/fabric/evpn-routes.js";
import {
  type FrrDaemon,
  frrCommand,
  frrDaemons,
  frrDirectory,
  insideFrr,
  makeFrrDirectory,
} from "../../lab/fabric/frr-entry.js";
import { waitFor } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { childEnd, signalEntered } from "../../lab/processes/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { signalPaused } from "./pause.js";

/** FRR's zebra and bgpd, and bfdd where a test wants it, in a place of a test's fabric. */
export class FrrRouter {
  readonly #daemons = new Map<FrrDaemon, ChildProcess>();

  private constructor(
    private readonly fabric: TestNamespaces,
    readonly place: string,
  ) {}

  /**
   * @param bgpd its configuration
   * @param bfdd the same; without it bfdd is not started
   */
  static async start(fabric: TestNamespaces, place: string, bgpd: string, bfdd?: string): Promise<FrrRouter> {
    const router = new FrrRouter(fabric, place);
    await fabric.exec(place, makeFrrDirectory(place));
    const texts: Partial<Record<FrrDaemon, string>> = { zebra: "", bgpd, ...(bfdd === undefined ? {} : { bfdd }) };
    for (const daemon of bfdd === undefined ? frrDaemons : (["zebra", "bfdd", "bgpd"] as const)) {
      const file = `${frrDirectory(place)}/${daemon}.conf`;
      const input = `hostname ${place}\n${texts[daemon]}`;
      await fabric.exec(place, ["sh", "-c", 'cat > "$0"', file], { input });
      await router.#start(daemon);
    }
    return router;
  }

  /** Runs vtysh commands, and returns what the last one says. */
  async vtysh(...commands: readonly string[]): Promise<string> {
    const argv = ["vtysh", ...commands.flatMap((command) => ["-c", command])];
    return (await this.fabric.exec(this.place, insideFrr(this.place, argv))).stdout;
  }

  /** Configures within `router bgp ASN`. */
  async configure(asn: number, ...lines: readonly string[]): Promise<void> {
    await this.vtysh("configure terminal", `router bgp ${asn}`, ...lines);
  }

  /** Every path in its EVPN table. */
  async routes(): Promise<readonly EvpnRoute[]> {
    return parseEvpnRoutes(await this.vtysh("show bgp l2vpn evpn json"));
  }

  /** Ends bgpd, so that its sessions and routes go; zebra and the kernel's state stay. SIGKILL: without a farewell. */
  async stopBgp(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const bgpd = this.#daemons.get("bgpd");
    if (bgpd !== undefined) {
      await signalEntered(bgpd, ENTRY_WAITING_PARENTS, signal);
      await childEnd(bgpd);
    }
  }

  startBgp(): Promise<void> {
    return this.#start("bgpd");
  }

  /** SIGSTOP makes bgpd mute while its connections stay, SIGCONT lets it go on. */
  async signalBgp(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
    const bgpd = this.#daemons.get("bgpd");
    if (bgpd === undefined) return;
    await signalPaused(bgpd, signal);
  }

  async #start(daemon: FrrDaemon): Promise<void> {
    const argv = insideFrr(this.place, frrCommand(daemon));
    this.#daemons.set(daemon, this.fabric.spawn(this.place, argv, { stdio: "ignore" }));
    const version = insideFrr(this.place, ["vtysh", "-d", daemon, "-c", "show version"]);
    await waitFor(
      `${daemon} of ${this.place}`,
      async () => (await this.fabric.exec(this.place, version, { check: false })).code === 0,
    );
  }
}

/**
 * A leaf's bridge and VXLAN port of a segment, which FRR with `advertise-all-vni` fills, and `host<vni>`, a port with nobody
 * behind it yet: see {@link plugHost}.
 */
export async function addLeafSegment(fabric: TestNamespaces, place: string, vni: number, vtep: string): Promise<void> {
  const [bridge, vxlan, port] = [`br${vni}`, `vni${vni}`, `host${vni}`];
  await fabric.ip(
    place,
    `link add ${bridge} type bridge`,
    `link add ${vxlan} type vxlan id ${vni} local ${vtep} dstport 4789 nolearning`,
    `link add ${port} type veth peer name far-${port}`,
    ...[vxlan, port].map((device) => `link set ${device} master ${bridge}`),
    // Without addresses of their own nobody sends frames but the hosts that a test plugs in.
    ...[bridge, vxlan, port, `far-${port}`].flatMap((device) => [
      `link set ${device} addrgenmode none`,
      `link set ${device} up`,
    ]),
  );
  await fabric.bridge(place, `link set dev ${vxlan} learning off neigh_suppress on`);
}

/** What a leaf's kernel holds when it has heard a host's frame. */
export async function plugHost(fabric: TestNamespaces, place: string, vni: number, mac: string): Promise<void> {
  await fabric.bridge(place, `fdb replace ${mac} dev host${vni} master dynamic`);
}

export async function unplugHost(fabric: TestNamespaces, place: string, vni: number, mac: string): Promise<void> {
  await fabric.bridge(place, `fdb del ${mac} dev host${vni} master`);
}
