import { changeText, conditionLine, type Paragraphs } from "../../model/index.js";
import type { NetworkReport } from "./network-report.js";
import { numbersTable } from "./numbers-table.js";
import type { ChangeOfFile, PlanReport } from "./plan-report.js";

/**
 * What a person reads. Everything but the table can be pasted into a shell: explanations are comments. Beside a change
 * the commands that make the networks from nothing are left out, or both would be pasted.
 *
 * @param config the configuration's file as it was named on the command line
 */
export function planText({ node, networks, change }: PlanReport, config: string): string {
  const commands: Paragraphs =
    change === undefined
      ? networks.map((network) => commandLines(network, node))
      : changeParagraphs(change, config, node);
  const table = networks.length === 0 ? ["# no networks"] : numbersTable(networks.map(({ numbers }) => numbers));
  // Beside a change the table is a reminder; what is new stands in the change.
  const explained = change === undefined ? [table, ...commands] : commands;
  const paragraphs = [
    table,
    ...(node === undefined ? [] : conditionLines(node, networks)),
    ...commands,
    ...(node === undefined ? placeholderLines(explained) : []),
  ];
  return paragraphs.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

function changeParagraphs(change: ChangeOfFile, config: string, node: string | undefined): Paragraphs {
  const [now, old] = [config, change.from].map((file) => (file === "-" ? "standard input" : file));
  return change.differences.length === 0
    ? [[`# nothing changes: ${now} means the same as ${old}`]]
    : changeText(change, `what ${now} changes in ${old}`, node);
}

function conditionLines(node: string, networks: readonly NetworkReport[]): Paragraphs {
  const lines = networks.flatMap(({ conditions }) => conditions.map((condition) => `#   ${conditionLine(condition)}`));
  return lines.length === 0 ? [] : [[`# conditions on ${node}:`, ...lines]];
}

function commandLines(
  { numbers, state, commands, conditions }: NetworkReport,
  node: string | undefined,
): readonly string[] {
  const where = node === undefined ? "" : ` on ${node}`;
  if (state === "configured" || state === "planned") return [`# ${numbers.name}${where}`, ...commands];
  const reasons = conditions.map(({ reason }) => reason).join(", ");
  return [`# ${numbers.name}${where}: not carried (${reasons})`];
}

const placeholders: readonly (readonly [variable: RegExp, meaning: string])[] = [
  [/\$NODE\b/, "$NODE: the node's name in Kubernetes, or the agent's --node-name"],
  [/\$VTEP\b/, "$VTEP: the node's own address in vxlan.nodeNet"],
  [/\$ROUTER_ID\b/, "$ROUTER_ID: the node's BGP identifier, derived from its IPv6 address in vxlan.nodeNet"],
  [/\$MAC\b/, "$MAC: derived from $VTEP and the VNI; the node's address decides it"],
  [/\$MTU\b/, "$MTU: what the interface below carries, less the encapsulation of VXLAN"],
  [/\$MARK\b/, "$MARK: chosen by the node for this network, and kept"],
  [/\$MARK_\d+/, "$MARK_TABLE: chosen by the node for this routing table, and kept"],
  [/\$OLD_MARK_\d+/, "$OLD_MARK_TABLE: the mark that this routing table has until now"],
];

function placeholderLines(explained: Paragraphs): Paragraphs {
  const text = explained.flat().join("\n");
  const used = placeholders.filter(([variable]) => variable.test(text)).map(([, meaning]) => `# ${meaning}`);
  return used.length === 0
    ? []
    : [["# What only a node knows, different for each network (--node gives the values):", ...used]];
}
