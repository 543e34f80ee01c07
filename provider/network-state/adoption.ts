import {
  apiVersion,
  type FieldSet,
  hasUnknown,
  type ManagedFields,
  type NetworkSpec,
  networkSpec,
  ownerAnnotation,
  type PublicNetworkObject,
  parseNetwork,
  unknownValue,
} from "../../model/index.js";
import { fieldDrift } from "../foreign-fields.js";
import { fieldManager } from "../kubernetes/field-manager.js";
import { isOfSameStack } from "../object-owner.js";
import type { NetworkStateArguments } from "./state.js";

/**
 * Whether a network takes over an object that is there: one that no stack owns, or that another resource of its own stack has
 * left behind. Where the program still declares that one, the two clash by their name.
 */
export function isAdopted({ metadata }: PublicNetworkObject, { adopt, owner }: Adopter): boolean {
  const found = metadata.annotations?.[ownerAnnotation];
  return adopt === true && found !== owner && (found === undefined || isOfSameStack(metadata, owner));
}

type Adopter = Pick<NetworkStateArguments, "adopt" | "owner">;

/**
 * Why an object cannot be taken over, with each field that is not as in the program and who wrote it; nothing when it can. An
 * adoption changes owner and field manager alone: what interrupts a network is an update of its own, which preview then shows.
 */
export function adoptionRefusal(object: PublicNetworkObject, wanted: NetworkSpec): string | undefined {
  if (hasUnknown(wanted)) return undefined;
  const { name } = object.metadata;
  const differing = Object.entries(fieldDrift({ ...object, spec: inNormalForm(object) }, wanted));
  if (differing.length === 0) return undefined;
  const fields = differing.map(([path, found]) => `${path} is ${found}`).join("; ");
  return (
    `PublicNetwork ${name} is not what the program says: ${fields}; adopt takes an object over as it is: ` +
    "write its values in the program, and change them in an update after that"
  );
}

/** What a person left to the defaults is filled in; the API server fills in some of it. */
function inNormalForm({ metadata: { name }, spec }: PublicNetworkObject): NetworkSpec {
  const parsed = parseNetwork(spec, { name, podNetworks: [unknownValue] });
  return parsed.ok ? networkSpec({ ...parsed.value, name }) : spec;
}

/**
 * The managers of an object once all of its specification is ours: else those who wrote it would go on to share the fields, and
 * the next change of one would be a conflict with them. As client-go's csaupgrade does it for kubectl's own fields. What others
 * wrote beside the specification stays theirs.
 */
export function adoptedFields(managers: readonly ManagedFields[]): readonly ManagedFields[] {
  const isOurs = ({ manager, operation }: ManagedFields) => manager === fieldManager && operation === "Apply";
  const own = managers.find(isOurs);
  const spec = managers.map(({ fieldsV1 }) => fieldsV1?.["f:spec"] ?? {}).reduce(union, {});
  const others = managers
    .filter((entry) => !isOurs(entry))
    .map((entry) => ({ ...entry, fieldsV1: withoutSpec(entry.fieldsV1 ?? {}) }))
    .filter(({ fieldsV1 }) => Object.keys(fieldsV1).length > 0);
  const ours = {
    manager: fieldManager,
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    ...own,
    fieldsV1: { ...own?.fieldsV1, "f:spec": spec },
  };
  return [...others, ours];
}

function withoutSpec({ "f:spec": _, ...fields }: FieldSet): FieldSet {
  return fields;
}

function union(one: FieldSet, other: FieldSet): FieldSet {
  const steps = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...steps].map((step) => [step, union(one[step] ?? {}, other[step] ?? {})]));
}
