import { unknownValue } from "../../../model/index.js";
import { normal, written } from "../network-fixtures.js";
import { type BehaviourScenario, later, type Program } from "./scenario.js";

const customers: Program = { name: "customers", ...written, timeoutSeconds: 20 };
const impatient: Program = { ...customers, timeoutSeconds: 1 };

function withRouting(routing: object): Program {
  return { ...customers, routing: { ...written.routing, ...routing } };
}

const established = { interface: "up", sessions: { "10.0.7.19": "Established", "10.0.7.20": "Established" } };
const nobody = { interface: "unknown", sessions: {} };
const numbers = {
  cidr: "203.0.113.0/24",
  gateway: "203.0.113.1",
  capacity: 253,
  routingTable: 228,
  interfaceName: "vxlan228",
  gobgpPort: 20228,
  routeTarget: "65001:228",
  rulePriorities: {
    "203.0.113.0/24": { exception: 3000, mark: 3900, markGuard: 3901, source: 4016, sourceGuard: 4017 },
  },
};
/** A session that has been down for longer than the hold time of 30 s. */
const n3Down = { n3: { sessions: { "10.0.7.19": "Established", "10.0.7.20": "Active" }, sessionAge: 60 } } as const;

/** What the provider does, whoever drives it. */
export const scenarios: readonly BehaviourScenario[] = [
  {
    name: "preview shows the numbers and touches nothing; up makes the network; a second preview is clean",
    everyRun: true,
    steps: [
      { run: "preview", program: customers, expect: { does: "create", shows: numbers, cluster: {} } },
      {
        run: "up",
        expect: {
          does: "create",
          shows: {
            ...numbers,
            nodes: { n1: established, n2: established, n3: established },
            nodeCount: 3,
            ready: true,
          },
          says: ["network customers: 3 of 3 nodes carry it"],
          cluster: { customers: { vxlan: { vni: 228 } } },
        },
      },
      { run: "preview", expect: { does: "same", cluster: { customers: {} } } },
    ],
  },
  {
    name: "every mistake of the input is refused at preview, with its path and the remedy",
    steps: [
      {
        run: "preview",
        program: {
          ...customers,
          vxlan: { ...written.vxlan, vni: 254 },
          routing: { cidr: "203.0.113.7/24", gateway: "203.0.113.1" },
        },
        expect: {
          refuses: ["vxlan.vni: 254 is", "routing.cidr: 203.0.113.7/24 has host bits; did you mean 203.0.113.0/24?"],
          cluster: {},
        },
      },
    ],
  },
  {
    name: "what only deployment knows passes at preview, makes unknown what follows from it, and is checked at deployment",
    steps: [
      {
        run: "preview",
        program: withRouting({ cidr: later("203.0.113.0/24") }),
        expect: {
          does: "create",
          shows: {
            cidr: unknownValue,
            capacity: unknownValue,
            rulePriorities: unknownValue,
            gateway: "203.0.113.1",
            routingTable: 228,
          },
          cluster: {},
        },
      },
      { run: "up", expect: { does: "create", shows: numbers, cluster: { customers: { vxlan: { vni: 228 } } } } },
      {
        run: "up",
        program: withRouting({ cidr: later("203.0.113.7/24") }),
        expect: {
          refuses: ["routing.cidr: 203.0.113.7/24 has host bits; did you mean 203.0.113.0/24?"],
          cluster: { customers: { routing: [{ cidr: "203.0.113.0/24" }] } },
        },
      },
    ],
  },
  {
    name: "create waits for the nodes, and says for what",
    steps: [
      {
        run: "up",
        program: customers,
        meanwhile: {
          // Preview's part of the update reads the reports too.
          healthyAfterReads: 3,
          reports: { n1: "absent", n3: { sessions: { "10.0.7.19": "Established", "10.0.7.20": "OpenSent" } } },
        },
        expect: {
          does: "create",
          says: [
            "network customers: 1 of 3 nodes carry it; n1: agent is missing; n3: session 10.0.7.20 is OpenSent",
            "network customers: 3 of 3 nodes carry it",
          ],
          shows: { ready: true, nodeCount: 3 },
          cluster: { customers: {} },
        },
      },
    ],
  },
  {
    name: "a node that never gets there is named with the reason; the network stays in the state, and up waits again",
    steps: [
      {
        run: "up",
        program: impatient,
        meanwhile: { reports: { n2: { network: { interface: { name: "vxlan228", state: "missing" } } } } },
        expect: {
          does: "create",
          refuses: [
            "network customers is declared, but not every node carries it after 1 s",
            "n2: interface vxlan228 is missing",
          ],
          shows: { ...numbers, ready: false, nodeCount: 3 },
          cluster: { customers: { vxlan: { vni: 228 } } },
        },
      },
      {
        run: "up",
        meanwhile: { reports: {} },
        expect: { does: "update", shows: { ready: true }, cluster: { customers: {} } },
      },
    ],
  },
  {
    name: "a node that is away is named and does not hold the network, unless none may be",
    steps: [
      {
        run: "up",
        program: customers,
        meanwhile: { away: ["n2"] },
        expect: {
          does: "create",
          says: ["n2 is not Ready in Kubernetes; it gets the network when it returns"],
          shows: { nodes: { n1: established, n2: nobody, n3: established }, ready: false },
          cluster: { customers: {} },
        },
      },
      {
        run: "up",
        program: { ...impatient, nodes: { tolerateUnreachable: false } },
        expect: {
          does: "update",
          refuses: ["n2 is not Ready in Kubernetes; it is waited for, because nodes.tolerateUnreachable is false"],
          cluster: { customers: {} },
        },
      },
    ],
  },
  {
    name: "refresh names the deviation by node, preview proposes the repair, and up waits until it is repaired",
    everyRun: true,
    steps: [
      { run: "up", program: customers, expect: { does: "create", shows: { drift: {} }, cluster: { customers: {} } } },
      { run: "refresh", expect: { does: "same", shows: { drift: {} }, cluster: { customers: {} } } },
      {
        run: "refresh",
        meanwhile: { reports: n3Down },
        expect: {
          does: "update",
          shows: { drift: { n3: { "session 10.0.7.20": "Active" } }, ready: false },
          cluster: { customers: {} },
        },
      },
      { run: "preview", expect: { does: "update", shows: { drift: {} }, cluster: { customers: {} } } },
      {
        run: "up",
        meanwhile: { reports: {} },
        expect: { does: "update", shows: { drift: {}, ready: true }, cluster: { customers: {} } },
      },
    ],
  },
  {
    name: "an object that somebody edited is drift, and up puts it back",
    steps: [
      { run: "up", program: customers, expect: { does: "create", cluster: { customers: {} } } },
      {
        run: "refresh",
        meanwhile: { edited: { name: "customers", spec: { ...normal, nodeSelector: { rack: "a" } } } },
        expect: {
          does: "update",
          shows: { spec: { ...normal, nodeSelector: { rack: "a" } } },
          cluster: { customers: { nodeSelector: { rack: "a" } } },
        },
      },
      { run: "up", expect: { does: "update", shows: { spec: normal }, cluster: { customers: normal } } },
    ],
  },
  {
    name: "a change that keeps the segment updates the network in place",
    steps: [
      { run: "up", program: customers, expect: { does: "create", cluster: { customers: {} } } },
      {
        run: "preview",
        program: withRouting({ gateway: "203.0.113.254" }),
        expect: {
          does: "update",
          shows: { gateway: "203.0.113.254", capacity: 253 },
          says: [
            "network customers: what changes on its nodes:",
            "ip -4 route replace default via 203.0.113.254 dev vxlan228 table 228 protocol 118",
          ],
          cluster: { customers: { routing: [{ gateway: "203.0.113.1" }] } },
        },
      },
      {
        run: "up",
        expect: {
          does: "update",
          shows: { gateway: "203.0.113.254", routingTable: 228, ready: true },
          cluster: { customers: { routing: [{ gateway: "203.0.113.254" }] } },
        },
      },
    ],
  },
  {
    name: "another VNI replaces the network, the old one first",
    everyRun: true,
    steps: [
      { run: "up", program: customers, expect: { does: "create", cluster: { customers: { vxlan: { vni: 228 } } } } },
      {
        run: "preview",
        program: { ...customers, vxlan: { ...written.vxlan, vni: 229 } },
        expect: {
          does: "replace",
          shows: { routingTable: 229, interfaceName: "vxlan229", gobgpPort: 20229 },
          says: [
            "network customers: the old network is removed from every node before any gets the new one",
            "vxlan228 is removed: 203.0.113.0/24 cannot be reached through this node any more",
            "ip link del dev vxlan228",
          ],
          cluster: { customers: { vxlan: { vni: 228 } } },
        },
      },
      {
        run: "up",
        expect: {
          does: "replace",
          shows: { routingTable: 229, ready: true },
          says: ["network customers: removed from all nodes", "network customers: 3 of 3 nodes carry it"],
          cluster: { customers: { vxlan: { vni: 229 } } },
        },
      },
    ],
  },
  {
    name: "a network that the program no longer declares is removed from the nodes; a destroy removes it too",
    steps: [
      { run: "up", program: customers, expect: { does: "create", cluster: { customers: {} } } },
      {
        run: "up",
        program: "none",
        expect: { does: "delete", says: ["network customers: removed from all nodes"], cluster: {} },
      },
      { run: "up", program: customers, expect: { does: "create", cluster: { customers: {} } } },
      { run: "destroy", expect: { does: "delete", cluster: {} } },
    ],
  },
  {
    name: "a network of another stack is refused at preview by that stack's name, and left as it is",
    steps: [
      {
        run: "preview",
        program: customers,
        meanwhile: { foreign: { name: "customers", owner: "other/prod urn:theirs", spec: normal } },
        expect: {
          refuses: [
            "PublicNetwork customers belongs to stack other/prod (urn:theirs); choose another name, or remove the network from that stack first",
          ],
          cluster: { customers: normal },
        },
      },
      {
        run: "up",
        expect: { refuses: ["PublicNetwork customers belongs to stack other/prod"], cluster: { customers: normal } },
      },
    ],
  },
  {
    name: "a network whose number another stack's network has is refused at preview by that network's name",
    steps: [
      {
        run: "preview",
        program: withRouting({ cidr: "198.51.100.0/24", gateway: "198.51.100.1" }),
        meanwhile: { foreign: { name: "tenants", owner: "other/prod urn:theirs", spec: normal } },
        expect: { refuses: ["tenants.vxlan.vni"], cluster: { tenants: normal } },
      },
    ],
  },
];
