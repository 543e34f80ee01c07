import type { NetworkNumbers, SubnetNumbers } from "./network-numbers.js";
import { textTable } from "./text-table.js";

const head = ["NETWORK", "TYPE", "INTERFACE", "SUBNET", "TABLE", "RULES", "MARK", "GOBGP", "RD", "RT"] as const;

/** Stands where a network has no such number. */
const none = "-";

/** One line for each subnet; what belongs to the whole network stands in its first. */
export function numbersTable(networks: readonly NetworkNumbers[]): readonly string[] {
  return textTable(head, networks.flatMap(rows));
}

function rows(network: NetworkNumbers): readonly (readonly string[])[] {
  const { name, type, gobgpPort, routeDistinguisher, routeTargets } = network;
  return network.subnets.map((subnet, index) => {
    const [left, right] =
      index > 0
        ? [["", "", ""], []]
        : [
            [name, type, network.interface],
            [gobgpPort?.toString() ?? none, routeDistinguisher ?? none, targets(routeTargets)],
          ];
    return [...left, subnet.cidr, String(subnet.table), priorities(subnet), subnet.mark ?? none, ...right];
  });
}

function priorities({ rulePriorities }: SubnetNumbers): string {
  const { exception, source, sourceGuard } = rulePriorities;
  const marks = "mark" in rulePriorities ? [rulePriorities.mark, rulePriorities.markGuard] : [];
  return [exception, ...marks, source, sourceGuard].join(" ");
}

/** One word where import and export are the same, as in iBGP. */
function targets(routeTargets: NetworkNumbers["routeTargets"]): string {
  if (routeTargets === undefined) return none;
  const [imported, exported] = [routeTargets.import.join(" "), routeTargets.export.join(" ")];
  return imported === exported ? exported : `export ${exported} import ${imported}`;
}
