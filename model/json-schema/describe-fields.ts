import { type JsonSchema, mapValues } from "./json-schema.js";

/**
 * The schema with the text of `describe` at each field. Fields are named by their place without list positions:
 * `routing.cidr` is in each entry of `routing`. A text that the schema has already stays.
 */
export function describeFields(
  schema: JsonSchema,
  describe: (place: string) => string | undefined,
  place = "",
): JsonSchema {
  const inside = (nested: JsonSchema) => describeFields(nested, describe, place);
  const field = (nested: JsonSchema, key: string) => {
    const fieldPlace = place === "" ? key : `${place}.${key}`;
    const description = describe(fieldPlace);
    const described = describeFields(nested, describe, fieldPlace);
    return description === undefined ? described : { description, ...described };
  };
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    switch (key) {
      case "properties":
        return [key, mapValues(value as JsonSchema, field)];
      case "items":
        return [key, inside(value as JsonSchema)];
      case "anyOf":
      case "oneOf":
        return [key, (value as readonly JsonSchema[]).map(inside)];
      default:
        return [key, value];
    }
  });
  return Object.fromEntries(entries);
}
