import { canonicalAddress, type ForwardingEntry } from "../../../model/index.js";

interface BridgeForwardingEntry {
  readonly mac: string;
  readonly dst?: string;
  readonly flags?: readonly string[];
}

/** Reads the output of `bridge -json fdb show dev DEVICE`; entries without a VTEP are those of a bridge, not of VXLAN. */
export function parseForwarding(json: string): readonly ForwardingEntry[] {
  if (json.trim() === "") return [];
  const entries: readonly BridgeForwardingEntry[] = JSON.parse(json);
  return entries.flatMap(({ mac, dst, flags }) =>
    dst === undefined ? [] : [{ mac, vtep: canonicalAddress(dst), external: flags?.includes("extern_learn") ?? false }],
  );
}
