/** Equal for equal plain data, whatever the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    typeof nested === "object" && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([left], [right]) => (left < right ? -1 : 1)))
      : nested,
  );
}
