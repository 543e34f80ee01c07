/**
 * What the Pulumi engine puts where a value is not known yet during preview (pulumi/pulumi
 * sdk/nodejs/runtime/rpc.ts, `unknownValue`).
 */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function isUnknown(value: unknown): boolean {
  return value === unknownValue;
}

/** Whether the value is unknown or holds an unknown value anywhere inside. */
export function hasUnknown(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown);
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasUnknown);
  return isUnknown(value);
}

/**
 * `compute()`, or the unknown value where an input is not known yet: what follows from an unknown is unknown. The result
 * then is a string whatever `Value` says; only a preview ever sees it, and it asks `isUnknown` first.
 */
export function derived<Value>(inputs: readonly unknown[], compute: () => Value): Value {
  return inputs.some(hasUnknown) ? (unknownValue as unknown as Value) : compute();
}
