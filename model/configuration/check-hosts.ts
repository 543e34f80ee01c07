import { formatAddress, parseAddress } from "../address/address.js";
import { formatPrefix, type Prefix } from "../address/prefix.js";
import { specialRangeOf } from "../address/special-purpose.js";
import type { Finding, Path } from "./finding.js";

/**
 * Addresses to which packets are sent from the node's address in nodeNet: of one host each, of its family, and each once.
 * Of what is wrong with one of them the first thing is told, because the rest follows from it.
 */
export function checkHosts(
  addresses: readonly string[],
  path: Path,
  duplicate: "DuplicatePeer" | "DuplicateRemote",
  nodeNet: Prefix | undefined,
): readonly Finding[] {
  const seen = new Map<string, number>();
  return addresses.flatMap((text, index): Finding[] => {
    const address = parseAddress(text);
    if (address === undefined) return [];
    const finding = (code: Finding["code"], message: string, remedy: string): Finding[] => [
      { code, path: [...path, index], value: text, message, remedy },
    ];
    const range = specialRangeOf(address);
    if (range !== undefined) {
      return finding("NotUnicast", `lies in ${range}, not with other hosts`, "write its address in the underlay");
    }
    if (nodeNet !== undefined && address.family !== nodeNet.family) {
      const message = `is not of the family of nodeNet ${formatPrefix(nodeNet)}`;
      return finding("FamilyMismatch", message, "write an address of the same family");
    }
    const canonical = formatAddress(address);
    const earlier = seen.get(canonical);
    if (earlier !== undefined) {
      return finding(duplicate, `is already ${path.at(-1)}[${earlier}]`, "remove one of the two");
    }
    seen.set(canonical, index);
    return [];
  });
}
