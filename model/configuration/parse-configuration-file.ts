import type { Configuration } from "./configuration.js";
import type { ParseResult } from "./mistake.js";
import { examine } from "./parse-configuration.js";
import { parseDocument } from "./parse-document.js";

/** Reads a configuration file (YAML 1.2, of which JSON is a part); every mistake carries line and column. */
export function parseConfigurationFile(text: string): ParseResult<Configuration> {
  return parseDocument(text, examine);
}
