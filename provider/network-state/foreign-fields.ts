import type { NetworkSpec, PublicNetworkObject } from "../../model/index.js";
import { fieldManager } from "../kubernetes/field-manager.js";

/**
 * Why an object is not what was applied to it, or nothing when it is. Server-side apply reports a conflict only for
 * fields that both write: one that somebody else added stays, without a word.
 */
export function foreignFields(object: PublicNetworkObject, wanted: NetworkSpec): string | undefined {
  const paths = differingPaths(wanted, object.spec, "spec");
  if (paths.length === 0) return undefined;
  const managers = otherManagers(object);
  const by = managers.length === 0 ? "" : ` (other writers of the object: ${managers.join(", ")})`;
  return (
    `PublicNetwork ${object.metadata.name} differs from the program in ${paths.join(", ")}${by}; nothing is forced: ` +
    `take the fields over into the program, or remove them ("kubectl edit publicnetwork ${object.metadata.name}")`
  );
}

function differingPaths(wanted: unknown, found: unknown, path: string): readonly string[] {
  if (!isContainer(wanted) || !isContainer(found) || Array.isArray(wanted) !== Array.isArray(found)) {
    return Object.is(wanted, found) ? [] : [path];
  }
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...keys]
    .sort()
    .flatMap((key) =>
      differingPaths(wanted[key], found[key], Array.isArray(wanted) ? `${path}[${key}]` : `${path}.${key}`),
    );
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** `metadata.managedFields` (meta/v1): who wrote what; the agents' own writes of the finalizer are not meant. */
function otherManagers({ metadata }: PublicNetworkObject): readonly string[] {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFields[] };
  const writers = managedFields.filter(({ fieldsV1 }) => fieldsV1 !== undefined && "f:spec" in fieldsV1);
  return [...new Set(writers.map(({ manager }) => manager))].filter((manager) => manager !== fieldManager).sort();
}

interface ManagedFields {
  readonly manager: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}
