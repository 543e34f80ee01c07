import {
  type Configuration,
  changeAnywhere,
  changeText,
  configurationDifferences,
  hasUnknown,
  type NamedNetwork,
  networkSpec,
  nodeNetworks,
  operationText,
  type PublicNetworkObject,
  parseNetwork,
  type RouterSpec,
  sharedBy,
  unknownValue,
} from "../../model/index.js";
import { replacedProperties } from "./replacement.js";
import type { NetworkStateInputs } from "./state.js";

/** Lines. The log is read beside those of the stack's other networks; `vlan-router plan --from` shows a change whole. */
const longestLog = 60;
/** Characters: a list of prefixes or peers may have hundreds. */
const longestLine = 240;

/** A network, and what it shares with the others of its cluster. */
export interface CheckedNetwork {
  readonly network: NamedNetwork;
  readonly shared: RouterSpec;
}

/**
 * The network as the last check left it; nothing for a new one, or where another version of the package made something of it
 * that no longer passes.
 */
export function heldNetwork(olds: Partial<NetworkStateInputs>): CheckedNetwork | undefined {
  const { name, spec, podNetworks } = olds;
  if (name === undefined || spec === undefined || podNetworks === undefined) return undefined;
  const parsed = parseNetwork(spec, { name, podNetworks: [unknownValue] });
  return parsed.ok ? { network: { ...parsed.value, name }, shared: sharedBy({ ...olds, podNetworks }) } : undefined;
}

/**
 * What a node that carries the network as it was has to do to carry it as it is wanted, and what that interrupts: on any node,
 * with variables for what only the node knows, as in `commands`. Our nft table is replaced as a whole, which is one line here:
 * `commands` hold its rules.
 * Empty where nothing changes on a node.
 * @param others of the cluster: their underlays are exceptions of the rules, and of two that replace each other both change
 */
export function changeLines(
  before: CheckedNetwork,
  after: CheckedNetwork,
  others: readonly PublicNetworkObject[],
): readonly string[] {
  const { name } = after.network;
  if (hasUnknown(after)) {
    return [`network ${name}: what changes on its nodes is told at deployment, as not all of its values are known yet`];
  }
  const pair = [before.network, after.network];
  const around = others
    .map(({ metadata, spec }): NamedNetwork => ({ ...spec, name: metadata.name }))
    .filter((other) => pair.every((network) => network.name !== other.name));
  const partners = around.filter((other) => pair.some((one) => isReplacing(one, other) || isReplacing(other, one)));
  const configuration = ({ network, shared }: CheckedNetwork, isThere = true): Configuration => ({
    ...shared,
    networks: [...partners, ...(isThere ? [network] : [])],
  });
  const isReplaced = replacedProperties(identityOf(before), identityOf(after)).length > 0;
  const old = configuration(before);
  const now = isReplaced ? configuration(before, false) : configuration(after);
  const differences = configurationDifferences(old, now);
  if (differences.length === 0) return [];
  const underlays = nodeNetworks(around);
  const change = changeAnywhere(withInside(old, underlays), withInside(now, underlays), (operation) =>
    // Other networks keep their part of the table.
    operationText(operation.kind === "filter" && around.length > 0 ? { ruleset: "", ...operation } : operation),
  );
  const title = isReplaced
    ? "the old network is removed from every node before any gets the new one, whose commands preview shows"
    : "what changes on its nodes";
  const [first = "", ...lines] = changeText({ ...change, differences }, title).flat();
  return [first.replace("#", `network ${name}:`), ...bounded(lines)];
}

function identityOf({ network }: CheckedNetwork): Pick<NetworkStateInputs, "name" | "spec"> {
  return { name: network.name, spec: networkSpec(network) };
}

function isReplacing({ routing }: NamedNetwork, { name }: NamedNetwork): boolean {
  return routing.some(({ replaces }) => replaces === name);
}

function withInside(configuration: Configuration, prefixes: readonly string[]): Configuration {
  return { ...configuration, podNetworks: [...configuration.podNetworks, ...prefixes] };
}

function bounded(lines: readonly string[]): readonly string[] {
  const short = lines.map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  const left = short.length - longestLog;
  if (left <= 0) return short;
  return [...short.slice(0, longestLog), `# … and ${left} lines more, which "vlan-router plan NEW --from OLD" shows`];
}
