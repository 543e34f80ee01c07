import type { NetworkReport } from "./network-report.js";
import { numbersTable } from "./numbers-table.js";
import type { PlanReport } from "./plan-report.js";

/**
 * What a person reads. Everything but the table can be pasted into a shell: explanations are comments.
 */
export function planText({ node, networks }: PlanReport): string {
  const parts = [
    networks.length === 0 ? ["no networks"] : numbersTable(networks.map(({ numbers }) => numbers)),
    ...(node === undefined ? [] : conditionLines(node, networks)),
    ...networks.map((network) => commandLines(network, node)),
    ...(node === undefined ? placeholderLines(networks) : []),
  ];
  return parts.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

function conditionLines(node: string, networks: readonly NetworkReport[]): readonly (readonly string[])[] {
  const lines = networks.flatMap(({ numbers, state, conditions }) => {
    if (state === "notSelected")
      return [`#   ${numbers.name}: not selected; the node's labels do not match nodeSelector`];
    return conditions.map(
      ({ reason, message, remedy }) =>
        `#   ${numbers.name}: ${reason}: ${message}${remedy === undefined ? "" : `; ${remedy}`}`,
    );
  });
  return lines.length === 0 ? [] : [[`# conditions on ${node}:`, ...lines]];
}

function commandLines({ numbers, state, commands }: NetworkReport, node: string | undefined): readonly string[] {
  const where = node === undefined ? "" : ` on ${node}`;
  if (state === "unplanned" || state === "notSelected") return [`# ${numbers.name}${where}: nothing to do`];
  return [`# ${numbers.name}${where}`, ...commands];
}

/** Longest first: `$MARK_228` is not `$MARK`. */
const placeholders: readonly (readonly [variable: RegExp, meaning: string])[] = [
  [/\$VTEP\b/, "$VTEP: the node's own address in vxlan.nodeNet"],
  [/\$MAC\b/, "$MAC: derived from $VTEP and the VNI; the node's address decides it"],
  [/\$MTU\b/, "$MTU: what the interface below carries, less the encapsulation of VXLAN"],
  [/\$MARK\b/, "$MARK: chosen by the node for this network, and kept"],
  [/\$MARK_\d+/, "$MARK_TABLE: the same for a further table of the network"],
];

function placeholderLines(networks: readonly NetworkReport[]): readonly (readonly string[])[] {
  const text = networks.flatMap(({ commands }) => commands).join("\n");
  const used = placeholders.filter(([variable]) => variable.test(text)).map(([, meaning]) => `# ${meaning}`);
  return used.length === 0
    ? []
    : [["# What only a node knows, different for each network (--node gives the values):", ...used]];
}
