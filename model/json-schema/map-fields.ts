import { type JsonSchema, mapValues } from "./json-schema.js";

/**
 * The schema with each field changed, the innermost first. Fields are named by their place without list positions:
 * `routing.cidr` is in each entry of `routing`.
 */
export function mapFields(
  schema: JsonSchema,
  change: (field: JsonSchema, place: string) => JsonSchema,
  place = "",
): JsonSchema {
  const inside = (nested: JsonSchema) => mapFields(nested, change, place);
  const field = (nested: JsonSchema, key: string) => {
    const fieldPlace = place === "" ? key : `${place}.${key}`;
    return change(mapFields(nested, change, fieldPlace), fieldPlace);
  };
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    switch (key) {
      case "properties":
        return [key, mapValues(value as JsonSchema, field)];
      case "items":
        return [key, inside(value as JsonSchema)];
      case "oneOf":
        return [key, (value as readonly JsonSchema[]).map(inside)];
      default:
        return [key, value];
    }
  });
  return Object.fromEntries(entries);
}

/** The field with its description first, where there is one. */
export function described(field: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? field : { description, ...field };
}
