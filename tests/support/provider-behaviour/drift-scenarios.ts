import type { NetworkStatus } from "../../../model/index.js";
import { normal, type ReportOptions, written } from "../network-fixtures.js";
import type { BehaviourScenario, ClusterChange, Program, Step } from "./scenario.js";

interface Drift {
  readonly kind: string;
  readonly change: ClusterChange;
  /** What refresh puts into the input `drift`. */
  readonly named: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const healthy: ClusterChange = { reports: {}, away: [] };
const customers: Program = { name: "customers", ...written, timeoutSeconds: 20 };
/** Longer than the hold time of 30 s. */
const longDown = 60;

function onNode(name: string, options: ReportOptions | "absent"): ClusterChange {
  return { reports: { [name]: options } };
}

function reporting(network: Partial<NetworkStatus>): ClusterChange {
  return onNode("n2", { network });
}

const drifts: readonly Drift[] = [
  {
    kind: "interface missing",
    change: reporting({ interface: { name: "vxlan228", state: "missing" } }),
    named: { n2: { "interface vxlan228": "missing" } },
  },
  {
    kind: "interface down",
    change: reporting({ interface: { name: "vxlan228", state: "down" } }),
    named: { n2: { "interface vxlan228": "down" } },
  },
  {
    kind: "route changed",
    change: reporting({ drift: ["route default table 228: via 203.0.113.9, not via 203.0.113.1"] }),
    named: { n2: { kernel: "not as planned (route default table 228: via 203.0.113.9, not via 203.0.113.1)" } },
  },
  {
    kind: "foreign rule",
    change: reporting({
      conditions: [
        {
          type: "RulesInstalled",
          status: "False",
          reason: "ForeignRule",
          message: "priority 4016 is taken by a rule of protocol static",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    }),
    named: {
      n2: { "condition RulesInstalled": "False (ForeignRule: priority 4016 is taken by a rule of protocol static)" },
    },
  },
  {
    kind: "session down for longer than its hold time",
    change: onNode("n3", {
      sessions: { "10.0.7.19": "Established", "10.0.7.20": "Active" },
      sessionAge: longDown,
    }),
    named: { n3: { "session 10.0.7.20": "Active" } },
  },
  {
    kind: "session missing",
    change: onNode("n3", { sessions: { "10.0.7.19": "Established" } }),
    named: { n3: { "session 10.0.7.20": "missing" } },
  },
  {
    kind: "network unplanned",
    change: reporting({
      conditions: [
        {
          type: "Planned",
          status: "False",
          reason: "NoLocalAddress",
          message: "no address in 10.0.7.0/24",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    }),
    named: { n2: { "condition Planned": "False (NoLocalAddress: no address in 10.0.7.0/24)" } },
  },
  {
    kind: "network not carried",
    change: reporting({ uid: "00000000-0000-4000-8000-000000000000" }),
    named: { n2: { "network customers": "not applied" } },
  },
  { kind: "no agent", change: onNode("n1", "absent"), named: { n1: { agent: "missing" } } },
  { kind: "agent silent", change: onNode("n1", { silence: 600 }), named: { n1: { agent: "silent" } } },
  { kind: "node away", change: { away: ["n2"] }, named: { n2: { node: "NotReady" } } },
  {
    kind: "object edited",
    change: {
      edited: {
        name: "customers",
        spec: { ...normal, routing: normal.routing.map((routing) => ({ ...routing, gateway: "203.0.113.254" })) },
      },
    },
    named: { "(cluster)": { "spec.routing[0].gateway": "203.0.113.254, not 203.0.113.1" } },
  },
];

function repaired({ change, named }: Drift): readonly Step[] {
  const cluster = { customers: {} };
  return [
    { run: "refresh", meanwhile: change, expect: { does: "update", shows: { drift: named }, cluster } },
    {
      run: "up",
      meanwhile: healthy,
      expect: { does: "update", shows: { drift: {}, ready: true }, cluster: { customers: normal } },
    },
  ];
}

/** Each kind of drift is named by a refresh and settled by the next update, after which nothing is left to do. */
export const driftScenarios: readonly BehaviourScenario[] = [
  {
    name: `refresh names, and up settles: ${drifts.map(({ kind }) => kind).join(", ")}`,
    steps: [
      { run: "up", program: customers, expect: { does: "create", cluster: { customers: {} } } },
      ...drifts.flatMap(repaired),
      { run: "preview", expect: { does: "same", cluster: { customers: {} } } },
    ],
  },
];
