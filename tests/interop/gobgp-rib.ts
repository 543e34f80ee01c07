/** One path in GoBGP's EVPN table. */
export interface GobgpRoute {
  /** RFC 7432 section 7: 2 is MAC/IP advertisement, 3 is inclusive multicast. */
  readonly routeType: number;
  /** As GoBGP writes it, such as `10.0.7.11:228`. */
  readonly rd: string;
  readonly etag: number;
  /** Of a Type-2. */
  readonly mac: string | undefined;
  /** Of a Type-2 that has one; the originating router of a Type-3. */
  readonly ip: string | undefined;
  /** Of a Type-2, and of the tunnel attribute of a Type-3. */
  readonly label: number | undefined;
  readonly nextHop: string | undefined;
  readonly routeTargets: readonly string[];
  /** RFC 9012 section 4.1: 8 is VXLAN. */
  readonly tunnelTypes: readonly number[];
  /** The MAC mobility sequence number (RFC 7432 section 7.7); without the community `undefined`. */
  readonly sequence: number | undefined;
  readonly asPath: readonly number[];
  /** Kept over the neighbour's restart (RFC 4724 section 4.2). */
  readonly stale: boolean;
}

/** Numbers of path attributes and extended communities in GoBGP's JSON, which are those of the registries. */
const attribute = { asPath: 2, mpReach: 14, extendedCommunities: 16, pmsiTunnel: 22 } as const;
const community = { encapsulation: [3, 12], mobility: [6, 0] } as const;
const routeTargetSubtype = 2;

interface Community {
  readonly type: number;
  readonly subtype: number;
  readonly value?: string;
  readonly tunnel_type?: number;
  readonly sequence?: number;
}

interface Path {
  readonly nlri: {
    readonly type: number;
    readonly value: {
      readonly rd: { readonly admin: string | number; readonly assigned: number };
      readonly etag: number;
      readonly mac?: string;
      readonly ip?: string;
      readonly labels?: readonly number[];
    };
  };
  readonly attrs: readonly {
    readonly type: number;
    readonly nexthop?: string;
    readonly label?: number;
    readonly as_paths?: readonly { readonly asns: readonly number[] }[];
    readonly value?: readonly Community[];
  }[];
  readonly stale: boolean;
}

/** Reads `gobgp global rib -a evpn -j`, which for an empty table is a sentence instead. */
export function parseGobgpRib(json: string): readonly GobgpRoute[] {
  if (!json.trimStart().startsWith("{")) {
    return [];
  }
  const table = JSON.parse(json) as Readonly<Record<string, readonly Path[]>>;
  return Object.values(table).flat().map(route);
}

function route({ nlri: { type, value }, attrs, stale }: Path): GobgpRoute {
  const attributeOf = (number: number) => attrs.find((candidate) => candidate.type === number);
  const communities = attributeOf(attribute.extendedCommunities)?.value ?? [];
  const communitiesOf = ([high, low]: readonly [number, number]) =>
    communities.filter(({ type: kind, subtype }) => kind === high && subtype === low);
  return {
    routeType: type,
    rd: `${value.rd.admin}:${value.rd.assigned}`,
    etag: value.etag,
    mac: value.mac,
    // 3.10 writes a Go zero value for "none".
    ip: value.ip === "<nil>" ? undefined : value.ip,
    label: value.labels?.[0] ?? attributeOf(attribute.pmsiTunnel)?.label,
    nextHop: attributeOf(attribute.mpReach)?.nexthop,
    routeTargets: communities
      .filter(({ subtype, value: target }) => subtype === routeTargetSubtype && target)
      .flatMap(({ value: target }) => target ?? []),
    tunnelTypes: communitiesOf(community.encapsulation).flatMap(({ tunnel_type }) => tunnel_type ?? []),
    sequence: communitiesOf(community.mobility)[0]?.sequence,
    asPath: (attributeOf(attribute.asPath)?.as_paths ?? []).flatMap(({ asns }) => asns),
    stale,
  };
}
