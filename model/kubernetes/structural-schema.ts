import { z } from "zod";
import { isObject } from "../configuration/finding.js";
import { type JsonSchema, mapValues } from "../json-schema/json-schema.js";

/** A rule in the Common Expression Language that the API server checks (`x-kubernetes-validations`). */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** The field to name in the answer, `.gateway`, where the rule stands on what is around it. */
  readonly fieldPath?: string;
}

export interface RulesAt {
  /** Property names; `[]` for the items of a list, `{}` for the values of a mapping. */
  readonly place: readonly string[];
  readonly rules: readonly CelRule[];
}

/** Integers beyond this need `format: int64`: the API server takes 32 bits without it. */
const largestInt32 = 2 ** 31 - 1;

/**
 * The structural form that a CustomResourceDefinition wants: one flat object where JSON Schema has a choice, no
 * `additionalProperties: false` (the API server prunes or refuses unknown keys by itself), no `const`. `input` is what a
 * person writes: fields with a default are not required, and the API server fills them in.
 */
export function structuralSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: "input", reused: "inline" });
  return toStructural(json);
}

function toStructural(json: JsonSchema): JsonSchema {
  const flat = Array.isArray(json.oneOf) ? mergeOptions(json.oneOf as readonly JsonSchema[]) : json;
  const entries = Object.entries(flat).flatMap(([key, value]): [string, unknown][] => {
    switch (key) {
      case "properties":
        return [[key, mapValues(value as JsonSchema, toStructural)]];
      case "items":
        return [[key, toStructural(value as JsonSchema)]];
      case "additionalProperties":
        return isObject(value) ? [[key, toStructural(value)]] : [];
      case "const":
        return [["enum", [value]]];
      case "propertyNames":
        return [];
      case "pattern":
        // A rule says the same in words; the API server's message would be the regular expression.
        return [];
      case "maximum":
        return Number(value) > largestInt32
          ? [
              [key, value],
              ["format", "int64"],
            ]
          : [[key, value]];
      default:
        return [[key, value]];
    }
  });
  return Object.fromEntries(entries);
}

/** All properties of all options; required is what every option requires; equal keys with a `const` become an enum. */
function mergeOptions(options: readonly JsonSchema[]): JsonSchema {
  const properties = new Map<string, JsonSchema>();
  for (const option of options) {
    for (const [key, value] of Object.entries(option.properties as Record<string, JsonSchema>)) {
      const earlier = properties.get(key);
      properties.set(key, earlier === undefined ? value : mergeConstants(earlier, value));
    }
  }
  const requiredBy = options.map((option) => option.required as readonly string[]);
  const required = [...properties.keys()].filter((key) => requiredBy.every((keys) => keys.includes(key)));
  return { type: "object", properties: Object.fromEntries(properties), required };
}

function mergeConstants(left: JsonSchema, right: JsonSchema): JsonSchema {
  if (right.const === undefined) return left;
  const { const: constant, enum: earlier, ...rest } = left;
  return { ...rest, enum: [...((earlier as readonly unknown[] | undefined) ?? [constant]), right.const] };
}

/** The schema with rules at their places. */
export function withRules(schema: JsonSchema, rules: readonly RulesAt[]): JsonSchema {
  return rules.reduce((changed, entry) => withRulesAt(changed, entry), schema);
}

function withRulesAt(schema: JsonSchema, { place, rules }: RulesAt): JsonSchema {
  const [step, ...rest] = place;
  if (step === undefined) return { ...schema, "x-kubernetes-validations": rules };
  const inner = { place: rest, rules };
  if (step === "[]") return { ...schema, items: withRulesAt(schema.items as JsonSchema, inner) };
  if (step === "{}") {
    return { ...schema, additionalProperties: withRulesAt(schema.additionalProperties as JsonSchema, inner) };
  }
  const properties = schema.properties as Record<string, JsonSchema> | undefined;
  const property = properties?.[step];
  if (property === undefined) throw new Error(`no property ${step} to put a rule on`);
  return { ...schema, properties: { ...properties, [step]: withRulesAt(property, inner) } };
}
