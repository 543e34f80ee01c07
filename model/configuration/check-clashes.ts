import { parsePrefix } from "../address/prefix.js";
import { gobgpPort } from "../numbers/gobgp-port.js";
import { segmentInterfaceName } from "../numbers/interface-name.js";
import { routeDistinguisherNumber } from "../numbers/route-distinguisher.js";
import { routingTable, segmentId } from "../numbers/routing-table.js";
import type { Locate, NetworkFinding, NetworkSet } from "./check-networks.js";
import { type Finding, type Path, renderPath } from "./finding.js";
import { hostnameLabel } from "./node-selector.js";
import type { UnnamedNetwork } from "./schema.js";
import { segmentPath } from "./segment-path.js";
import { isSpeaker, type SpeakerNetwork } from "./speaker-network.js";
import { isUnknown } from "./unknown-value.js";

/** Something of which only one network, or one subnet of a network, can have the same. */
interface Claim {
  readonly code: Finding["code"];
  /** Nothing where the network does not claim it or the value is not known. */
  readonly of: (network: UnnamedNetwork) => readonly Claimed[];
}

interface Claimed {
  readonly key: number | string;
  readonly path: Path;
  readonly value: unknown;
  readonly message: (other: string) => string;
  readonly remedy: (other: UnnamedNetwork) => string;
  /** Where the other claim is of the same network; there the network itself need not be named. */
  readonly inside?: Pick<Finding, "path" | "value" | "remedy"> & { readonly message: (other: Path) => string };
}

const known = (claimed: Claimed): readonly Claimed[] => (isUnknown(claimed.key) ? [] : [claimed]);

/** One interface name, and one VXLAN device per VNI whatever its UDP port; the table would be the same too. */
const duplicateSegment: Claim = {
  code: "DuplicateSegment",
  of: (network) => {
    const id = segmentId(network);
    if (isUnknown(id)) return [];
    const remedy = (other: UnnamedNetwork) =>
      isSameSegment(network, other)
        ? "list both subnets under one network, the second with a routing.table of its own"
        : `give one of them another ${network.type === "vxlan" ? "VNI" : "VLAN id"}: both would be the interface ${segmentInterfaceName(network)}`;
    const message = (other: string) => `is already ${other}`;
    return [{ key: `${network.type} ${id}`, path: segmentPath(network), value: id, message, remedy }];
  },
};

/** Of two networks with one number: whether it is one segment, or the number stands in two places. */
function isSameSegment(one: UnnamedNetwork, other: UnnamedNetwork): boolean {
  if (one.type === "vlan") return other.type === "vlan" && one.vlan.parent === other.vlan.parent;
  return other.type === "vxlan" && one.vxlan.port === other.vxlan.port && one.vxlan.nodeNet === other.vxlan.nodeNet;
}

/** A name that is not written is that of the interface. */
const name: Claim = {
  code: "DuplicateName",
  of: (network) => {
    const remedy = () => "give one of them another name";
    if (network.name !== undefined) {
      const message = (other: string) => `is already taken by ${other}`;
      return known({ key: network.name, path: ["name"], value: network.name, message, remedy });
    }
    const key = segmentInterfaceName(network);
    const message = (other: string) => `gives the name ${key}, which is already taken by ${other}`;
    return known({ key, path: segmentPath(network), value: segmentId(network), message, remedy });
  },
};

const table: Claim = {
  code: "TableClash",
  of: (network) =>
    network.routing.flatMap((routing, index): readonly Claimed[] => {
      const prefix = parsePrefix(routing.cidr);
      const number = routingTable(network, routing);
      if (prefix === undefined || isUnknown(number)) return [];
      const written = routing.table !== undefined;
      const own: Path = ["routing", index, "table"];
      return [
        {
          key: `${prefix.family} ${number}`,
          path: written ? own : segmentPath(network),
          value: number,
          message: (other) => `is the routing table that ${other} already uses`,
          remedy: () => (written ? "choose another number" : "set routing.table"),
          inside: {
            path: written ? own : ["routing", index, "cidr"],
            value: written ? number : routing.cidr,
            message: (other) =>
              `is the second IPv${prefix.family} subnet in table ${number}, after ${renderPath(other.slice(0, 2))}`,
            remedy: `set routing[${index}].table to a number of its own`,
          },
        },
      ];
    }),
};

const apiPort: Claim = {
  code: "GobgpPortClash",
  of: (network) => {
    if (!isSpeaker(network)) return [];
    const port = gobgpPort(network);
    const written = network.vxlan.bgp.gobgpPort !== undefined;
    return known({
      key: port,
      path: written ? ["vxlan", "bgp", "gobgpPort"] : segmentPath(network),
      value: written ? port : network.vxlan.vni,
      message: (other) => `gives the GoBGP API port ${port} that ${other} has too`,
      remedy: () => "set bgp.gobgpPort in one of them",
    });
  },
};

const distinguisher: Claim = {
  code: "RouteDistinguisherClash",
  of: (network) => (isSpeaker(network) ? distinguishers(network) : []),
};

const distinguisherPath: Path = ["vxlan", "bgp", "routeDistinguisher"];

/** A number clashes with the same number behind whatever router id the node has; a text with the same text. */
function distinguishers({ vxlan: { vni, bgp } }: SpeakerNetwork): readonly Claimed[] {
  const { routeDistinguisher, routerId } = bgp;
  if (routeDistinguisher !== undefined) {
    const message = (other: string) => `is also the route distinguisher of ${other}`;
    const remedy = () => "write another number in one of them";
    const place = { path: distinguisherPath, value: routeDistinguisher };
    return known({ key: routeDistinguisher, ...place, message, remedy });
  }
  const number = routeDistinguisherNumber(vni);
  if (isUnknown(number)) return [];
  const remedy = () =>
    `give one of them another VNI, or set bgp.routeDistinguisher where a single node carries it (nodeSelector with ${hostnameLabel}): written, it is the same on every node`;
  const place = { path: segmentPath({ type: "vxlan" }), value: vni, remedy };
  const message = (other: string) =>
    `gives the route distinguisher number ${number} (VNI mod 65536) that ${other} has too`;
  if (routerId === undefined || isUnknown(routerId)) return [{ key: number, ...place, message }];
  const text = `${routerId}:${number}`;
  return [
    { key: number, ...place, message },
    { key: text, ...place, message: (other) => `gives the route distinguisher ${text} that ${other} has too` },
  ];
}

interface Owner {
  readonly network: number;
  readonly spec: UnnamedNetwork;
  readonly claimed: Claimed;
}

function clashes(networks: NetworkSet, locate: Locate, claim: Claim): readonly NetworkFinding[] {
  const owners = new Map<number | string, Owner>();
  return networks.flatMap((network, index) => {
    if (network === undefined) return [];
    /** By place: what stands there clashes once, however many subnets it numbers. */
    const findings = new Map<string, NetworkFinding>();
    for (const claimed of claim.of(network)) {
      const owner = owners.get(claimed.key);
      if (owner === undefined) owners.set(claimed.key, { network: index, spec: network, claimed });
      const clash = owner === undefined ? undefined : clashWith(owner, index, claimed, locate);
      const place = renderPath(clash?.path ?? []);
      if (clash !== undefined && !findings.has(place)) {
        findings.set(place, { network: index, finding: { code: claim.code, ...clash } });
      }
    }
    return [...findings.values()];
  });
}

function clashWith(
  owner: Owner,
  network: number,
  { inside, ...claimed }: Claimed,
  locate: Locate,
): Omit<Finding, "code"> | undefined {
  if (owner.network !== network) {
    const { path, value } = claimed;
    const message = claimed.message(locate(owner.network, owner.claimed.path));
    return { path, value, message, remedy: claimed.remedy(owner.spec) };
  }
  const earlier = owner.claimed.inside;
  return inside === undefined || earlier === undefined
    ? undefined
    : { ...inside, message: inside.message(earlier.path) };
}

/** One segment twice: every number of it clashes, and one message says it all. */
export function duplicateSegmentFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  return clashes(networks, locate, duplicateSegment);
}

/** Names and numbers of which only one network, or one subnet of a network, can have the same. */
export function clashFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  return [name, table, apiPort, distinguisher].flatMap((claim) => clashes(networks, locate, claim));
}
