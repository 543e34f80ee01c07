import { normal, written } from "../network-fixtures.js";
import type { BehaviourScenario, Operation, Program, Step } from "./scenario.js";

const customers: Program = { name: "customers", ...written, timeoutSeconds: 20 };
const [normalRouting] = normal.routing;

interface Update {
  readonly field: string;
  readonly program: Program;
  readonly does: Operation;
  /** The part of the object that says so afterwards. */
  readonly spec: object;
  readonly named?: string;
}

function vxlan(changes: object): Program {
  return { ...customers, vxlan: { ...written.vxlan, ...changes } };
}

function bgp(changes: object): Program {
  return vxlan({ bgp: { ...written.vxlan.bgp, ...changes } });
}

function routing(changes: object): Program {
  return { ...customers, routing: { ...written.routing, ...changes } };
}

/** Each begins at the network as it was first declared, but where the segment or the name changed: these come last. */
const updates: readonly Update[] = [
  {
    field: "routing.gateway",
    program: routing({ gateway: "203.0.113.254" }),
    does: "update",
    spec: { routing: [{ gateway: "203.0.113.254" }] },
  },
  {
    field: "routing.cidr",
    program: routing({ cidr: "203.0.112.0/23" }),
    does: "update",
    spec: { routing: [{ cidr: "203.0.112.0/23" }] },
  },
  { field: "routing.table", program: routing({ table: 1228 }), does: "update", spec: { routing: [{ table: 1228 }] } },
  {
    field: "routing.arpAnnouncer",
    program: routing({ arpAnnouncer: false }),
    does: "update",
    spec: { routing: [{ ...normalRouting, arpAnnouncer: { enabled: false } }] },
  },
  {
    field: "routing.onlink",
    program: routing({ onlink: true }),
    does: "update",
    spec: { routing: [{ onlink: true }] },
  },
  { field: "vxlan.port", program: vxlan({ port: 8472 }), does: "update", spec: { vxlan: { port: 8472 } } },
  { field: "vxlan.mtu", program: vxlan({ mtu: 1400 }), does: "update", spec: { vxlan: { mtu: 1400 } } },
  {
    field: "vxlan.bgp.holdTime",
    program: bgp({ holdTime: 9 }),
    does: "update",
    spec: { vxlan: { bgp: { holdTime: 9 } } },
  },
  {
    field: "vxlan.bgp.passwordFile and vxlan.bgp.ttlSecurity",
    program: bgp({ passwordFile: "/etc/bgp/fabric", ttlSecurity: 1 }),
    does: "update",
    spec: { vxlan: { bgp: { passwordFile: "/etc/bgp/fabric", ttlSecurity: 1 } } },
  },
  {
    field: "vxlan.bgp.allowOwnAs",
    program: bgp({ allowOwnAs: 1 }),
    does: "update",
    spec: { vxlan: { bgp: { allowOwnAs: 1 } } },
  },
  {
    field: "vxlan.bgp.bfd",
    program: bgp({ bfd: true }),
    does: "update",
    spec: { vxlan: { bgp: { bfd: { enabled: true, minTxInterval: 300, minRxInterval: 300, multiplier: 3 } } } },
  },
  {
    field: "vxlan.bgp.maxRoutes and vxlan.bgp.maxMacs",
    program: bgp({ maxRoutes: 1000, maxMacs: 500 }),
    does: "update",
    spec: { vxlan: { bgp: { maxRoutes: 1000, maxMacs: 500 } } },
  },
  {
    field: "vxlan.bgp.listen",
    program: bgp({ listen: true }),
    does: "update",
    spec: { vxlan: { bgp: { listen: true } } },
  },
  {
    field: "vxlan.bgp.sourceAddress",
    program: bgp({ sourceAddress: "10.255.0.0/24" }),
    does: "update",
    spec: { vxlan: { bgp: { sourceAddress: "10.255.0.0/24" } } },
  },
  {
    field: "vxlan.bgp.routeTarget",
    program: bgp({ routeTarget: "65001:9" }),
    does: "update",
    spec: { vxlan: { bgp: { routeTarget: "65001:9" } } },
  },
  {
    field: "vxlan.bgp.peers",
    program: bgp({ peers: ["10.0.7.20", "10.0.7.19"] }),
    does: "update",
    spec: { vxlan: { bgp: { peers: ["10.0.7.20", "10.0.7.19"] } } },
  },
  {
    field: "timeoutSeconds, which is no part of the object",
    program: { ...customers, timeoutSeconds: 21 },
    does: "update",
    spec: normal,
  },
  { field: "vxlan.vni", program: vxlan({ vni: 229 }), does: "replace", spec: { vxlan: { vni: 229 } } },
  { field: "name", program: { ...customers, name: "gold" }, does: "replace", spec: normal, named: "gold" },
];

function updated({ program, does, spec, named = "customers" }: Update): Step {
  return { run: "up", program, expect: { does, shows: { ready: true }, cluster: { [named]: spec } } };
}

/** Which changes of a field keep the network, and which make another of it. */
export const updateScenarios: readonly BehaviourScenario[] = [
  {
    name: `each field is updated in place or makes another network: ${updates.map(({ field }) => field).join(", ")}`,
    steps: [
      { run: "up", program: customers, expect: { does: "create", cluster: { customers: {} } } },
      ...updates.map(updated),
      { run: "preview", expect: { does: "same", cluster: { gold: {} } } },
    ],
  },
];
