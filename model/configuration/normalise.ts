import { normaliseAsn } from "./asn.js";
import { isObject } from "./finding.js";
import { isUnknown, unknownValue } from "./unknown-value.js";

/**
 * Brings what people may write into the one form that is validated: `routing` a list, `arpAnnouncer` and `bfd` objects, AS
 * numbers integers. An object or list that Pulumi does not know yet becomes one of unknowns, so that only leaves are
 * ever unknown. What cannot be brought into form stays as it is and fails validation.
 */
export function normaliseConfiguration(value: unknown): unknown {
  if (!isObject(value)) return value;
  return mapKeys(value, {
    podNetworks: normaliseList,
    networks: (networks) => (Array.isArray(networks) ? networks.map(normaliseNetwork) : networks),
  });
}

export function normaliseNetwork(value: unknown): unknown {
  if (!isObject(value)) return value;
  return mapKeys(value, {
    vxlan: (vxlan) =>
      normaliseObject(vxlan, unknownVxlan, {
        bridge: normaliseSwitch,
        txChecksum: normaliseSwitch,
        remotes: normaliseList,
        bgp: (bgp) =>
          normaliseObject(bgp, unknownBgp, {
            myAsn: normaliseAsn,
            peerAsn: normaliseAsn,
            peers: normaliseList,
            listen: normaliseSwitch,
            importRouteTargets: normaliseList,
            bfd: (bfd) => normaliseSwitched(bfd, unknownBgp.bfd, { multihop: normaliseSwitch }),
          }),
      }),
    vlan: (vlan) => normaliseObject(vlan, unknownVlan, {}),
    nodeSelector: (selector) => normaliseObject(selector, unknownSelector, {}),
    segmentFilter: normaliseSwitch,
    routing: (routing) => (Array.isArray(routing) ? routing : [routing]).map(normaliseRouting),
  });
}

function normaliseRouting(value: unknown): unknown {
  return normaliseObject(value, unknownRouting, {
    onlink: normaliseSwitch,
    arpAnnouncer: (announcer) => normaliseSwitched(announcer, unknownRouting.arpAnnouncer),
    staticAddresses: (addresses) => {
      const list = isUnknown(addresses) ? [addresses] : addresses;
      return Array.isArray(list) ? list.map((entry) => normaliseObject(entry, unknownStaticAddress, {})) : list;
    },
  });
}

/** What is on or off as a whole, and may say how. */
function normaliseSwitched(
  value: unknown,
  whenUnknown: object,
  changes: Readonly<Record<string, Change>> = {},
): unknown {
  const enabled = normaliseSwitch(value);
  if (typeof enabled === "boolean") return { enabled };
  return normaliseObject(value, whenUnknown, { enabled: normaliseSwitch, ...changes });
}

/** Booleans in YAML 1.1 and texts in YAML 1.2: kubectl reads the one, a file here is the other. */
export const switchWords: ReadonlyMap<unknown, boolean> = new Map([
  ["on", true],
  ["yes", true],
  ["off", false],
  ["no", false],
]);

function normaliseSwitch(value: unknown): unknown {
  return switchWords.get(value) ?? value;
}

function normaliseList(value: unknown): unknown {
  return isUnknown(value) ? [unknownValue] : value;
}

/** With every key that overrides a number or makes a session another one, because nobody can say yet that it is missing. */
const unknownBgp = {
  myAsn: unknownValue,
  peerAsn: unknownValue,
  peers: [unknownValue],
  holdTime: unknownValue,
  sourceAddress: unknownValue,
  passwordFile: unknownValue,
  ttlSecurity: unknownValue,
  listen: unknownValue,
  allowOwnAs: unknownValue,
  bfd: {
    enabled: unknownValue,
    minTxInterval: unknownValue,
    minRxInterval: unknownValue,
    multiplier: unknownValue,
    multihop: unknownValue,
  },
  routeTarget: unknownValue,
  routeDistinguisher: unknownValue,
  routerId: unknownValue,
  gobgpPort: unknownValue,
};
/** With unknown remotes, because nobody can say yet that they are missing. */
const unknownVxlan = { vni: unknownValue, nodeNet: unknownValue, port: unknownValue, remotes: [unknownValue] };
const unknownVlan = { parent: unknownValue, id: unknownValue };
/** A label of which nothing is known: nobody can say yet which nodes have it. */
const unknownSelector = { [unknownValue]: unknownValue };
const unknownRouting = {
  cidr: unknownValue,
  gateway: unknownValue,
  table: unknownValue,
  onlink: unknownValue,
  returnPath: unknownValue,
  arpAnnouncer: { enabled: unknownValue, interval: unknownValue },
};

const unknownStaticAddress = { address: unknownValue, node: unknownValue };

type Change = (value: unknown) => unknown;

function normaliseObject(value: unknown, whenUnknown: object, changes: Readonly<Record<string, Change>>): unknown {
  if (isUnknown(value)) return whenUnknown;
  return isObject(value) ? mapKeys(value, changes) : value;
}

/** A key whose value is undefined counts as absent, as everywhere in Pulumi programs. */
function mapKeys(value: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, Change>>): unknown {
  const entries = Object.entries(value).filter(([, nested]) => nested !== undefined);
  return Object.fromEntries(
    entries.map(([key, nested]) => [key, (Object.hasOwn(changes, key) ? changes[key] : undefined)?.(nested) ?? nested]),
  );
}
