import type { ReceivedRoute, RouteTraits } from "../../../agent-image/agent/bgp/rib/received-route.js";

/** What a test says of a Type-2; the rest is as a leaf switch with the VTEP 10.0.7.19 in network 228 would send it. */
interface Host extends Partial<RouteTraits> {
  readonly mac: string;
  readonly ip?: string;
  readonly vtep?: string;
  /** The VTEP's when absent. */
  readonly routeDistinguisher?: string;
  readonly label?: number;
  readonly stale?: boolean;
}

export function host({
  mac,
  ip,
  vtep = "10.0.7.19",
  routeDistinguisher = `${vtep}:2`,
  label = 228,
  stale = false,
  ...traits
}: Host): ReceivedRoute {
  return {
    route: {
      kind: "mac-ip",
      routeDistinguisher,
      ethernetSegment: "00000000000000000000",
      ethernetTag: 0,
      mac,
      ip,
      label,
      label2: undefined,
    },
    nextHop: vtep,
    traits: { ...noTraits, ...traits },
    stale,
  };
}

/** A Type-3 with its tunnel. */
export function flood(originator: string, endpoint: string | undefined, label = 228): ReceivedRoute {
  return {
    route: { kind: "inclusive-multicast", routeDistinguisher: `${originator}:2`, ethernetTag: 0, originator },
    nextHop: originator,
    traits: { ...noTraits, flood: endpoint === undefined ? undefined : { label, endpoint } },
    stale: false,
  };
}

const noTraits: RouteTraits = {
  routeTargets: ["65001:228"],
  tunnelTypes: [8],
  sequence: 0,
  sticky: false,
  longLivedStale: false,
  notLongLived: false,
  flood: undefined,
};
