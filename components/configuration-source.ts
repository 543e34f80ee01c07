import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import {
  type Configuration,
  type ParseResult,
  parseConfiguration,
  parseConfigurationFile,
  renderMistake,
} from "../model/index.js";
import { mistakesError } from "./mistakes-error.js";

/** The configuration of a whole cluster: as an object, as YAML, or as the path of a YAML file. */
export type ConfigurationSource =
  | { readonly value: unknown; readonly yaml?: never; readonly file?: never }
  | { readonly yaml: string; readonly value?: never; readonly file?: never }
  | { readonly file: string; readonly value?: never; readonly yaml?: never };

/**
 * @throws ResourceError that lists every mistake, in YAML with line and column
 */
export function readConfiguration(component: string, source: ConfigurationSource): Configuration {
  const parsed = parse(source);
  if (!parsed.ok) throw mistakesError(component, parsed.mistakes);
  for (const warning of parsed.warnings) pulumi.log.warn(`${component}: ${renderMistake(warning)}`);
  return parsed.value;
}

function parse(source: ConfigurationSource): ParseResult<Configuration> {
  if (source.file !== undefined) return parseConfigurationFile(readFileSync(source.file, "utf8"));
  return source.yaml !== undefined ? parseConfigurationFile(source.yaml) : parseConfiguration(source.value);
}
