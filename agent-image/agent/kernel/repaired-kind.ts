import { addressMetric, type Operation } from "../../../model/index.js";

/** What was put back, in the words of a message. */
export type RepairedKind =
  | "rules"
  | "routes"
  | "the interface"
  | "addresses"
  | "sysctls"
  | "forwarding entries"
  | "the nft table";

export function repairedKind(operation: Operation): RepairedKind {
  if (operation.kind === "sysctl") return "sysctls";
  if (operation.kind === "filter") return "the nft table";
  if (operation.kind === "ethtool") return "the interface";
  if (operation.kind === "bridge") return "forwarding entries";
  const object = /^ip (?:-[46] )?(\w+)/.exec(operation.command)?.[1];
  if (object === "address" && operation.command.includes(`metric ${addressMetric}`)) return "addresses";
  return object === "rule" ? "rules" : object === "route" ? "routes" : "the interface";
}
