import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.js";
import type { NetworkRevisionData } from "./objects.js";

/** 40 bits: a name must be short, and only the versions of one network must differ. */
const hashLength = 10;

/** The same for equal content, whatever the order of keys or how it was written (canonical form in, hash out). */
export function networkRevision(data: NetworkRevisionData): string {
  return createHash("sha256").update(canonicalJson(data)).digest("hex").slice(0, hashLength);
}

/** Name of the ControllerRevision that keeps this version of a network. */
export function revisionName(data: NetworkRevisionData): string {
  return `${data.network}-${networkRevision(data)}`;
}
