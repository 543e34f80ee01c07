import { formatAddress, parseAddress } from "../address/address.js";
import { canonicalAddressOrPrefix, formatPrefix, type Prefix } from "../address/prefix.js";
import { specialRangeOf } from "../address/special-purpose.js";
import type { Finding, Path } from "./finding.js";

/** The prefix of the address that the node sends from, and the key where it stands. */
export interface SendingPrefix {
  readonly key: "nodeNet" | "sourceAddress";
  readonly prefix: Prefix;
}

/**
 * Addresses to which packets are sent: of one host each, of the sender's family, and each once.
 * Of what is wrong with one of them the first thing is told, because the rest follows from it.
 */
export function checkHosts(
  addresses: readonly string[],
  path: Path,
  duplicate: "DuplicatePeer" | "DuplicateRemote",
  sender: SendingPrefix | undefined,
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
    if (sender !== undefined && address.family !== sender.prefix.family) {
      const message = `is not of the family of ${sender.key} ${canonicalAddressOrPrefix(formatPrefix(sender.prefix))}`;
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
