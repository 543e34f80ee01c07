import { interfaceName, segmentInterfaceName } from "../numbers/interface-name.js";
import { segmentId } from "../numbers/routing-table.js";
import type { Locate, NetworkFinding, NetworkSet } from "./check-networks.js";
import type { Path } from "./finding.js";
import { canMeet } from "./node-selector.js";
import type { UnnamedNetwork } from "./schema.js";
import { segmentPath } from "./segment-path.js";
import { hasUnknown, isUnknown } from "./unknown-value.js";

/** A network, and an interface that it makes or stands on. */
interface Use {
  readonly network: number;
  readonly spec: UnnamedNetwork;
  readonly name: string;
  readonly path: Path;
}

/**
 * What we make ourselves is nothing that a network can stand on: it goes with its own network, and its table and filter
 * are for public traffic. Of two networks the later is told.
 */
export function ownInterfaceFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const makers = new Map<string, Use>();
  for (const made of eachUse(networks, madeInterfaces)) if (!makers.has(made.name)) makers.set(made.name, made);
  return eachUse(networks, lowerInterface).flatMap((used): readonly NetworkFinding[] => {
    const maker = makers.get(used.name);
    if (maker === undefined || !meet(maker, used)) return [];
    if (maker.network > used.network) {
      const message = `makes the interface ${used.name}, which is ${locate(used.network, used.path)}`;
      return [
        finding(maker, segmentId(maker.spec), message, `give it another number, or ${remedies[used.spec.type]} there`),
      ];
    }
    const whose = maker.network === used.network ? "this network itself" : locate(maker.network, maker.path);
    return [finding(used, used.name, `is the interface that ${whose} makes`, remedies[used.spec.type])];
  });
}

const remedies: Readonly<Record<UnnamedNetwork["type"], string>> = {
  vlan: "write the interface below it, such as bond0 (a VLAN inside a VLAN of ours, QinQ, is not supported)",
  vxlan: "write the interface that carries the node's address in the underlay",
};

function finding({ network, path }: Use, value: unknown, message: string, remedy: string): NetworkFinding {
  return { network, finding: { code: "OwnInterface", path, value, message, remedy } };
}

function eachUse(
  networks: NetworkSet,
  of: (spec: UnnamedNetwork) => readonly Pick<Use, "name" | "path">[],
): readonly Use[] {
  return networks.flatMap((spec, network) =>
    spec === undefined ? [] : of(spec).flatMap((use) => (isUnknown(use.name) ? [] : [{ ...use, spec, network }])),
  );
}

function madeInterfaces(spec: UnnamedNetwork): readonly Pick<Use, "name" | "path">[] {
  const names = new Set([segmentInterfaceName(spec), interfaceName(spec)]);
  return [...names].map((name) => ({ name, path: segmentPath(spec) }));
}

function lowerInterface(spec: UnnamedNetwork): readonly Pick<Use, "name" | "path">[] {
  if (spec.type === "vlan") return [{ name: spec.vlan.parent, path: ["vlan", "parent"] }];
  const { nodeInterface } = spec.vxlan;
  return nodeInterface === undefined ? [] : [{ name: nodeInterface, path: ["vxlan", "nodeInterface"] }];
}

/** Whether a node certainly can carry both. */
function meet({ spec: one }: Use, { spec: other }: Use): boolean {
  return !hasUnknown([one.nodeSelector, other.nodeSelector]) && canMeet(one.nodeSelector, other.nodeSelector);
}
