import type { Mistake } from "../../model/index.js";

/**
 * A mistake of a network at the place where its user wrote it: numbers are compared in the normal form, whose `routing` is always
 * a list. Paths are relative to the network; its own is called `network`.
 * @param written the network as the program has it
 */
export function asWritten(mistake: Mistake, written: unknown): Mistake {
  const isList =
    typeof written === "object" && written !== null && "routing" in written && Array.isArray(written.routing);
  const path = isList ? mistake.path : mistake.path.replace(/^routing\[0\]/, "routing");
  return { ...mistake, path: path === "" ? "network" : path };
}
