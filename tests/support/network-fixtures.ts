import {
  apiVersion,
  type Condition,
  type ForeignObjects,
  type NetworkSpec,
  type NetworkStatus,
  type PublicNetworkObject,
  type RouterNodeObject,
  revisionName,
  type SessionState,
  type VlanRouterObject,
} from "../../model/index.js";

/** 2026-01-01T00:00:00Z: every test starts here. */
export const start = Date.parse("2026-01-01T00:00:00Z");

export const podNetworks = ["10.244.0.0/16", "10.96.0.0/16"];

/** The network as a program writes it. */
export const written = {
  type: "vxlan",
  vxlan: {
    vni: 228,
    nodeNet: "10.0.7.0/24",
    bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] },
  },
  routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1", arpAnnouncer: true },
};

/** The same network in the normal form. */
export const normal: NetworkSpec = {
  type: "vxlan",
  vxlan: {
    vni: 228,
    nodeNet: "10.0.7.0/24",
    port: 4789,
    bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"], holdTime: 30 },
  },
  routing: [
    {
      cidr: "203.0.113.0/24",
      gateway: "203.0.113.1",
      onlink: false,
      returnPath: "auto",
      arpAnnouncer: { enabled: true, interval: 60 },
    },
  ],
};

export const router: VlanRouterObject = {
  apiVersion,
  kind: "VlanRouter",
  metadata: { name: "default" },
  spec: { podNetworks },
};

export function secondsBefore(now: number, seconds: number): string {
  return new Date(now - seconds * 1000).toISOString();
}

export interface ReportOptions {
  readonly network?: Partial<NetworkStatus>;
  readonly sessions?: Readonly<Record<string, SessionState>>;
  /** Seconds that the sessions have been in their state. */
  readonly sessionAge?: number;
  /** Seconds since the last heartbeat. */
  readonly silence?: number;
  readonly image?: string;
  /** What the agent says of its node. */
  readonly conditions?: readonly Condition[];
  /** What other programs have on the node. */
  readonly foreign?: Partial<ForeignObjects>;
}

/** What a healthy agent reports of a network, and what a test changes of it. */
export function report(
  node: string,
  object: PublicNetworkObject | undefined,
  now: number,
  options: ReportOptions = {},
): RouterNodeObject {
  const sessions = options.sessions ?? { "10.0.7.19": "Established", "10.0.7.20": "Established" };
  const uid = object?.metadata.uid ?? "";
  const networks: NetworkStatus[] =
    object === undefined
      ? []
      : [
          {
            name: object.metadata.name,
            uid,
            revision: revisionName({ network: object.metadata.name, uid, spec: object.spec, podNetworks }),
            interface: { name: "vxlan228", state: "up" },
            tables: [228],
            sessions: Object.entries(sessions).map(([peer, state]) => ({
              peer,
              state,
              since: secondsBefore(now, options.sessionAge ?? 600),
            })),
            addresses: [],
            conditions: [],
            drift: [],
            repairs: 0,
            ...options.network,
          },
        ];
  return {
    apiVersion,
    kind: "RouterNode",
    metadata: { name: node },
    spec: { networks: [] },
    status: {
      agent: { version: "0.1.0", image: options.image ?? "agent:1" },
      heartbeatTime: secondsBefore(now, options.silence ?? 5),
      ...(options.conditions === undefined ? {} : { conditions: options.conditions }),
      foreign: { interfaces: [], omittedInterfaces: 0, tables: [], ...options.foreign },
      networks,
    },
  };
}
