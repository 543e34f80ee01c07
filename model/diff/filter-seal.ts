import { createHash } from "node:crypto";
import type { ObservedFilter } from "./observed-state.js";

/**
 * nft prints a ruleset in other words than it was given, and differently in each version, so what the kernel holds cannot
 * be compared with what was loaded. Therefore, after loading, an empty chain is added whose name holds two hashes: of the
 * text that was loaded and of what nft then listed. If both still fit, the table is what we loaded and nobody touched
 * it. The seal is in the kernel, so it survives a restart of the agent, and it needs no state file.
 */
const sealChain = /\n*\tchain (seal-[0-9a-f]{16}-[0-9a-f]{16}) \{\n\t\}/;

export function sealOf(ruleset: string, listing: string): string {
  return `seal-${digest(ruleset)}-${digest(listing)}`;
}

/** Reads the output of `nft --stateless list table`. */
export function parseFilter(text: string): ObservedFilter {
  const seal = sealChain.exec(text)?.[1];
  return { listing: text.replace(sealChain, ""), ...(seal === undefined ? {} : { seal }) };
}

export function isSealed(filter: ObservedFilter | undefined, ruleset: string): boolean {
  return filter !== undefined && filter.seal === sealOf(ruleset, filter.listing);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
