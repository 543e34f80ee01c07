import type { Interruption } from "../diff/interruptions.js";
import type { ChangeReport, ChangeStep, NodeChange } from "./change-report.js";
import type { ConfigurationDifference, Setting } from "./configuration-differences.js";
import { conditionLine } from "./network-condition.js";

/** Paragraphs for a person; all but the commands are comments of a shell. */
export type Paragraphs = readonly (readonly string[])[];

/**
 * Of a change that is one.
 * @param title stands above what differs
 * @param node name of the node that the report is about
 */
export function changeText(change: ChangeReport, title: string, node?: string): Paragraphs {
  const { differences, nodes } = change;
  const changed = [`# ${title}:`, ...indented(differences.map(differenceLine))];
  if (nodes.length === 0) return [changed, [`# nothing changes ${node === undefined ? "on any node" : `on ${node}`}`]];
  return [changed, interruptionLines(change), ...commandParagraphs(change, node)];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `#   ${line}`);
}

function differenceLine(difference: ConfigurationDifference): string {
  if (difference.kind !== "changed") return `${difference.network}: ${difference.kind}`;
  const { network, path, from, to } = difference;
  return `${network === undefined ? "" : `${network}: `}${path}: ${settingText(from)} -> ${settingText(to)}`;
}

function settingText(setting: Setting | undefined): string {
  if (setting === undefined) return "not set";
  if (typeof setting !== "object") return String(setting);
  return setting.length === 0 ? "none" : setting.join(", ");
}

/** Each once; those of some kinds of nodes only say of which. */
function interruptionLines({ nodes, nodeKinds }: ChangeReport): readonly string[] {
  const found = new Map<string, { readonly interruption: Interruption; readonly nodes: NodeChange[] }>();
  for (const node of nodes) {
    for (const interruption of node.interruptions) {
      const key = JSON.stringify(interruption);
      const entry = found.get(key) ?? { interruption, nodes: [] };
      entry.nodes.push(node);
      found.set(key, entry);
    }
  }
  if (found.size === 0) return ["# interrupts nothing"];
  const lines = [...found.values()].map(({ interruption: { network, traffic, message }, nodes: those }) => {
    const kinds = those.map((node) => kindOfNode(node, nodeKinds)).join(", ");
    return `${network}${those.length === nodeKinds ? "" : ` on ${kinds}`}: ${trafficNames[traffic]}: ${message}`;
  });
  return ["# interrupts:", ...indented(lines)];
}

function commandParagraphs({ nodes, nodeKinds }: ChangeReport, node: string | undefined): Paragraphs {
  if (nodes.every(({ steps, conditions }) => steps.length === 0 && conditions.length === 0)) {
    return [["# no commands: nothing changes in the kernel"]];
  }
  return nodes.flatMap((entry) => {
    const where = node ?? kindOfNode(entry, nodeKinds);
    const { conditions, steps } = entry;
    return [
      ...(conditions.length === 0 ? [] : [[`# conditions on ${where}:`, ...indented(conditions.map(conditionLine))]]),
      ...(steps.length === 0 ? [] : [[`# commands for ${where}, in this order:`, ...steps.flatMap(stepLines)]]),
    ];
  });
}

function kindOfNode({ nodeLabels = {} }: NodeChange, nodeKinds: number): string {
  const pairs = Object.entries(nodeLabels).map(([key, value]) => `${key}=${value}`);
  if (pairs.length > 0) return `nodes with ${pairs.join(" and ")}`;
  return nodeKinds > 1 ? "nodes that no nodeSelector picks" : "every node";
}

const trafficNames: Readonly<Record<Interruption["traffic"], string>> = {
  all: "all traffic",
  incoming: "incoming traffic",
  outgoing: "outgoing traffic",
  cluster: "traffic with pods, services and nodes",
  large: "large packets",
  fabric: "traffic through the fabric",
};

const stepTitles: Readonly<Record<ChangeStep["kind"], (network: string) => string>> = {
  guards: () => "# what keeps networks without an interface out of the main table",
  rules: (network) => `# ${network}: rules, before its interface and before nft sets its mark`,
  removal: () => "# what belongs to no network any more",
  filter: () => "# nft table of all networks",
  network: (network) => `# ${network}`,
};

function stepLines({ kind, network = "", commands }: ChangeStep): readonly string[] {
  return [stepTitles[kind](network), ...commands];
}
