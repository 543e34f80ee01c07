import { type Cni, cniTables, cniTitle, cniTunnel, freeTable, isCniPort } from "../numbers/cni.js";
import { gobgpPort } from "../numbers/gobgp-port.js";
import { segmentId } from "../numbers/routing-table.js";
import type { Finding } from "./finding.js";
import type { UnnamedNetwork } from "./schema.js";
import { isUnknown } from "./unknown-value.js";

/** Numbers of a network that the cluster's CNI has for itself. */
export function cniFindings(network: UnnamedNetwork, cni: Cni): readonly Finding[] {
  return [...tableFindings(network, cni), ...tunnelFindings(network, cni), ...portFindings(network, cni)];
}

function tableFindings(network: UnnamedNetwork, cni: Cni): readonly Finding[] {
  const segment = segmentId(network);
  const finding = (table: number, path: Finding["path"], remedy: string): readonly Finding[] => {
    const range = isUnknown(table) ? undefined : cniTables(cni, table);
    const message = `is one of ${cniTitle(cni)}'s routing tables (${range})`;
    return range === undefined ? [] : [{ code: "CniTable", path, value: table, message, remedy }];
  };
  const bySegment = network.routing.some(({ table }) => table === undefined);
  return [
    ...(bySegment
      ? finding(
          segment,
          network.type === "vxlan" ? ["vxlan", "vni"] : ["vlan", "id"],
          `set routing.table, such as ${freeTable(cni, segment)}`,
        )
      : []),
    ...network.routing.flatMap(({ table }, index) =>
      table === undefined
        ? []
        : finding(table, ["routing", index, "table"], `write another, such as ${freeTable(cni, segment)}`),
    ),
  ];
}

function tunnelFindings(network: UnnamedNetwork, cni: Cni): readonly Finding[] {
  if (network.type === "vlan") return [];
  const { vni, port } = network.vxlan;
  const tunnel = isUnknown(vni) || isUnknown(port) ? undefined : cniTunnel(cni, port, vni);
  if (tunnel === undefined) return [];
  const holder = `${tunnel.device} of ${cniTitle(cni)}`;
  return [
    tunnel.vni === undefined
      ? {
          code: "CniTunnel",
          path: ["vxlan", "port"],
          value: port,
          message: `is held by ${holder}`,
          remedy: "choose another vxlan.port, on the peers too",
        }
      : {
          code: "CniTunnel",
          path: ["vxlan", "vni"],
          value: vni,
          message: `on port ${port} belongs to ${holder}`,
          remedy: "choose another VNI or another vxlan.port",
        },
  ];
}

function portFindings(network: UnnamedNetwork, cni: Cni): readonly Finding[] {
  if (network.type === "vlan" || network.vxlan.bgp === undefined) return [];
  const port = gobgpPort(network);
  if (isUnknown(port) || !isCniPort(cni, port)) return [];
  const named = network.vxlan.bgp.gobgpPort !== undefined;
  return [
    {
      code: "CniPort",
      path: named ? ["vxlan", "bgp", "gobgpPort"] : ["vxlan", "vni"],
      value: named ? port : network.vxlan.vni,
      message: named ? `is a port of ${cniTitle(cni)}` : `gives the GoBGP API port ${port}, which ${cniTitle(cni)} has`,
      remedy: named ? "write another port" : "set bgp.gobgpPort to another port",
    },
  ];
}
