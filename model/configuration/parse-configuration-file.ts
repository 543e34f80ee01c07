import type { Configuration } from "./configuration.js";
import { type Finding, isObject, type Path } from "./finding.js";
import type { ParseResult } from "./mistake.js";
import { examine } from "./parse-configuration.js";
import { type Examined, parseDocument } from "./parse-document.js";
import { isUnknown } from "./unknown-value.js";

/** Reads a configuration file (YAML 1.2, of which JSON is a part); every mistake carries line and column. */
export function parseConfigurationFile(text: string): ParseResult<Configuration> {
  return parseDocument(text, examineFile);
}

/** A preview may wait for a value. Nothing will ever fill it into a file, which a preview must have written. */
function examineFile(source: unknown): Examined<Configuration> {
  const unknowns = unknownPlaces(source, []).map(
    (path): Finding => ({
      code: "UnknownValue",
      path,
      message: "is a value that Pulumi did not know yet when this was written",
      remedy: "write the value itself",
    }),
  );
  const { value, mistakes, warnings } = examine(source);
  return { value: unknowns.length === 0 ? value : undefined, mistakes: [...unknowns, ...mistakes], warnings };
}

function unknownPlaces(value: unknown, path: Path): readonly Path[] {
  if (isUnknown(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownPlaces(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, nested]) =>
    isUnknown(key) ? [[...path, key]] : unknownPlaces(nested, [...path, key]),
  );
}
