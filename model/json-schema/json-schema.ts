/** A JSON Schema, or the OpenAPI dialect of it that Kubernetes takes, as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

export function mapValues(value: JsonSchema, change: (nested: JsonSchema, key: string) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, change(nested as JsonSchema, key)]));
}
