import { type BridgedHost, canonicalAddress, type ForwardingEntry } from "../../../model/index.js";
import { parsePrintedJson } from "./printed-json.js";

interface BridgeForwardingEntry {
  readonly mac: string;
  readonly ifname?: string;
  readonly dst?: string;
  readonly flags?: readonly string[];
  readonly master?: string;
  readonly state?: string;
}

/** Reads the output of `bridge -json fdb show dev DEVICE`; entries without a VTEP are those of a bridge, not of VXLAN. */
export function parseForwarding(json: string): readonly ForwardingEntry[] {
  return entries(json).flatMap(({ mac, dst, flags }) =>
    dst === undefined ? [] : [{ mac, vtep: canonicalAddress(dst), external: isExternal(flags) }],
  );
}

/** Reads the hosts in the output of `bridge -json fdb show br BRIDGE`. Permanent entries are MACs of the node itself. */
export function parseBridged(json: string): readonly BridgedHost[] {
  return entries(json).flatMap(({ mac, ifname, master, flags, state }) =>
    ifname === undefined || master === undefined || state === "permanent"
      ? []
      : [{ mac, port: ifname, external: isExternal(flags) }],
  );
}

/** Reads the MACs that were seen behind a port, or pinned there, in the output of `bridge -json fdb show dev PORT`. */
export function parseHostMacs(json: string): readonly string[] {
  return entries(json).flatMap(({ mac, master, flags, state }) =>
    master === undefined || state === "permanent" || isExternal(flags) ? [] : [mac],
  );
}

function isExternal(flags: BridgeForwardingEntry["flags"]): boolean {
  return flags?.includes("extern_learn") ?? false;
}

function entries(json: string): readonly BridgeForwardingEntry[] {
  return json.trim() === "" ? [] : parsePrintedJson(json);
}
