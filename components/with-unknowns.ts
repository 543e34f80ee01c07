import * as pulumi from "@pulumi/pulumi";
import { unknownValue } from "../model/index.js";

/**
 * A copy in which every value that is only known later stands as the unknown value: what is known can then be checked and
 * numbered at once, without waiting for the rest.
 */
export function withUnknowns(value: unknown): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return unknownValue;
  // What is no data stands as a word that no argument takes: a mistake of its place, not of whatever copies it.
  if (typeof value === "function" || pulumi.Resource.isInstance(value)) return "(no data)";
  if (Array.isArray(value)) return value.map(withUnknowns);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, nested]) => nested !== undefined)
      .map(([key, nested]) => [key, withUnknowns(nested)]),
  );
}
