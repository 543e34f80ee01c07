import type { Lab } from "../lab.js";
import type { ReflectorName } from "../topology.js";

/** One path in a reflector's EVPN table. */
export interface EvpnRoute {
  readonly rd: string;
  /** As FRR writes it, such as `[3]:[0]:[32]:[10.0.7.19]`. */
  readonly prefix: string;
  /** RFC 7432 section 7: 2 is MAC/IP advertisement, 3 is inclusive multicast. */
  readonly routeType: number;
  readonly ethernetTag: number;
  /** Of a Type-2. */
  readonly mac: string | undefined;
  /** Of a Type-2 that has one; the originating router of a Type-3. */
  readonly ip: string | undefined;
  readonly nextHop: string;
  /** Such as `65001:228`. */
  readonly routeTargets: readonly string[];
  /** All extended communities as FRR writes them. */
  readonly extendedCommunities: string;
  readonly best: boolean;
  /** The neighbour that sent it; `undefined` for the reflector's own. */
  readonly from: string | undefined;
}

/** Every path that a reflector holds, its own included. */
export async function evpnRoutes(lab: Lab, reflector: ReflectorName): Promise<readonly EvpnRoute[]> {
  const { stdout } = await lab.exec(reflector, ["vtysh", "-d", "bgpd", "-c", "show bgp l2vpn evpn json"]);
  return parseEvpnRoutes(stdout);
}

interface FrrPath {
  readonly bestpath?: boolean;
  readonly routeType: number;
  readonly ethTag: number;
  readonly mac?: string;
  readonly ip?: string;
  readonly peerId: string;
  readonly extendedCommunity?: { readonly string: string };
  readonly nexthops: readonly { readonly ip: string }[];
}

interface FrrPrefix {
  readonly prefix: string;
  readonly paths: readonly (FrrPath | readonly FrrPath[])[];
}

/** FRR's word for the origin of a path that it has made itself. */
const OWN = "(unspec)";

/** Reads `show bgp l2vpn evpn json`: route distinguishers and counters lie side by side, and so do prefixes and the `rd`. */
export function parseEvpnRoutes(json: string): readonly EvpnRoute[] {
  const table = JSON.parse(json) as Readonly<Record<string, unknown>>;
  return Object.entries(table)
    .filter((entry): entry is [string, Readonly<Record<string, unknown>>] => isObject(entry[1]))
    .flatMap(([rd, prefixes]) =>
      Object.values(prefixes)
        .filter((prefix): prefix is FrrPrefix => isObject(prefix))
        .flatMap(({ prefix, paths }) => paths.flat().map((path) => route(rd, prefix, path as FrrPath))),
    );
}

function route(rd: string, prefix: string, path: FrrPath): EvpnRoute {
  const extendedCommunities = path.extendedCommunity?.string ?? "";
  return {
    rd,
    prefix,
    routeType: path.routeType,
    ethernetTag: path.ethTag,
    mac: path.mac,
    ip: path.ip,
    nextHop: path.nexthops[0]?.ip ?? "",
    routeTargets: [...extendedCommunities.matchAll(/\bRT:(\S+)/g)].map(([, target = ""]) => target),
    extendedCommunities,
    best: path.bestpath === true,
    from: path.peerId === OWN ? undefined : path.peerId,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
