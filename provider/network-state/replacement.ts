import { type NetworkSpec, segmentId } from "../../model/index.js";

type Identity = { readonly name: string; readonly spec: NetworkSpec };

/**
 * Properties whose change makes another network of it: the name of the object, and the segment, which names interface
 * and table on the nodes.
 */
export function replacedProperties(old: Identity, wanted: Identity): readonly string[] {
  const replaced: string[] = [];
  if (old.name !== wanted.name) replaced.push("name");
  if (old.spec.type !== wanted.spec.type || segmentId(old.spec) !== segmentId(wanted.spec)) replaced.push("spec");
  return replaced;
}
