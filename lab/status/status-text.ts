import type { BgpNeighbor } from "../fabric/index.js";
import { nodeNames, reflectorNames, underlay } from "../topology.js";
import type { KubernetesStatus } from "./kubernetes-status.js";
import type { LabStatus, ReflectorStatus, Unknown } from "./lab-status.js";

/** A lab's status for a person. */
export function statusText(status: LabStatus): string {
  if (!status.up) return `lab ${status.name}: down\n`;
  const whole =
    status.stage === "nothing" ? "half made; make it again with: npm run lab -- up" : `up (${status.stage})`;
  return [
    `lab ${status.name}: ${whole}`,
    `state and logs: ${status.stateDirectory}`,
    "",
    "places",
    ...table(
      status.places.map(({ name, namespace, addresses }) => [name, namespace ? addresses.join(", ") : "no namespace"]),
    ),
    "",
    "processes",
    ...table(status.processes.map(({ name, pid }) => [name, pid === undefined ? "does not run" : `pid ${pid}`])),
    "",
    "BGP sessions (l2vpn evpn)",
    ...table(status.reflectors.flatMap(sessions)),
    ...(status.kubernetes === undefined ? [] : ["", ...kubernetesLines(status.kubernetes)]),
    "",
  ].join("\n");
}

function sessions({ name, neighbors }: ReflectorStatus): readonly (readonly string[])[] {
  if (isUnknown(neighbors)) return [[name, `unknown: ${firstLine(neighbors.error)}`]];
  if (neighbors.length === 0) return [[name, "none"]];
  return neighbors.map((neighbor) => [name, placeOf(neighbor), neighbor.address, neighbor.state, counts(neighbor)]);
}

function counts({ prefixesReceived, prefixesSent }: BgpNeighbor): string {
  return `${prefixesReceived} routes received, ${prefixesSent} sent`;
}

function placeOf({ address }: BgpNeighbor): string {
  return (
    nodeNames.find((name) => underlay.nodes[name] === address) ??
    reflectorNames.find((name) => underlay.reflectors[name] === address) ??
    ""
  );
}

function kubernetesLines(kubernetes: KubernetesStatus | Unknown): readonly string[] {
  if (isUnknown(kubernetes)) return ["Kubernetes", `  unknown: ${firstLine(kubernetes.error)}`];
  return [
    "Kubernetes nodes",
    ...table(kubernetes.nodes.map(({ name, ready }) => [name, ready ? "Ready" : "NotReady"])),
    "",
    "Kubernetes pods",
    ...table(
      kubernetes.pods.map(({ namespace, name, node, phase, ready }) => [
        `${namespace}/${name}`,
        node || "no node",
        ready ? phase : `${phase}, not ready`,
      ]),
    ),
  ];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    // What stands last in its row needs no room for others.
    for (const [column, cell] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}

function isUnknown(part: object): part is Unknown {
  return "error" in part;
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
