import type { FieldSet, ObjectMeta, PublicNetworkObject } from "../model/index.js";
import { fieldManager } from "./kubernetes/field-manager.js";

/** An object of ours, as others may have written it. */
export interface WrittenObject {
  readonly metadata: ObjectMeta;
  readonly spec: object;
}

/**
 * Why an object is not what was applied to it, or nothing when it is. Server-side apply reports a conflict only for
 * fields that both write: one that somebody else added stays, without a word.
 */
export function foreignFields(object: PublicNetworkObject, wanted: object): string | undefined {
  const differences = differingFields(wanted, object.spec);
  if (differences.length === 0) return undefined;
  const managers = otherManagers(object);
  const by = managers.length === 0 ? "" : ` (other writers of the object: ${managers.join(", ")})`;
  return (
    `PublicNetwork ${object.metadata.name} differs from the program in ${differences.map(({ path }) => pathText(path)).join(", ")}${by}, ` +
    `and what no refresh has shown is not removed: "pulumi up --refresh" shows these fields and takes them back; or take them over into the program`
  );
}

/**
 * What differs from the declared specification, as drift: by path the value, who wrote it, and the declared value. Empty when
 * nothing does.
 */
export function fieldDrift(object: WrittenObject, declared: object): Readonly<Record<string, string>> {
  return driftTexts(object, differingFields(declared, object.spec));
}

/** The same of fields that are not declared at all: applying what is declared removes only those that are ours. */
export function surplusDrift(object: WrittenObject, declared: object): Readonly<Record<string, string>> {
  const differences = differingFields(declared, object.spec);
  return driftTexts(
    object,
    differences.filter(({ wanted }) => wanted === undefined),
  );
}

function driftTexts(object: WrittenObject, differences: readonly DifferingField[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    differences.map(({ path, wanted, found }) => {
      const writers = writersOf(object, path);
      const by = writers.length === 0 ? "" : ` (written by ${writers.join(", ")})`;
      return [pathText(path), `${valueText(found)}${by}, not ${valueText(wanted)}`];
    }),
  );
}

interface DifferingField {
  /** Below `spec`; numbers are places in a list. */
  readonly path: readonly (string | number)[];
  readonly wanted: unknown;
  readonly found: unknown;
}

function differingFields(
  wanted: unknown,
  found: unknown,
  path: DifferingField["path"] = [],
): readonly DifferingField[] {
  if (!isContainer(wanted) || !isContainer(found) || Array.isArray(wanted) !== Array.isArray(found)) {
    return Object.is(wanted, found) ? [] : [{ path, wanted, found }];
  }
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...keys]
    .sort()
    .flatMap((key) => differingFields(wanted[key], found[key], [...path, Array.isArray(wanted) ? Number(key) : key]));
}

function pathText(path: DifferingField["path"]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
    "spec",
  );
}

function valueText(value: unknown): string {
  if (value === undefined) return "unset";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function otherManagers(object: WrittenObject): readonly string[] {
  return managersOf(object, (fields) => fields !== undefined);
}

function writersOf(object: WrittenObject, path: DifferingField["path"]): readonly string[] {
  return managersOf(object, (fields) => covers(fields, path));
}

/** Everybody but us who wrote such fields of `spec`; the agents' own writes of the finalizer are not meant. */
function managersOf({ metadata }: WrittenObject, meant: (fields: FieldSet | undefined) => boolean): readonly string[] {
  const writers = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => meant(fieldsV1?.["f:spec"]));
  return [...new Set(writers.map(({ manager }) => manager))].filter((manager) => manager !== fieldManager).sort();
}

/** Whether a field set (structured-merge-diff, "f:" before each name) holds a field, or the list or map that is written as one. */
function covers(fields: FieldSet | undefined, [step, ...rest]: DifferingField["path"]): boolean {
  if (fields === undefined) return false;
  if (step === undefined || typeof step === "number" || Object.keys(fields).length === 0) return true;
  return covers(fields[`f:${step}`], rest);
}
