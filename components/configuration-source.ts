import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import {
  type Configuration,
  documentSource,
  type ParseResult,
  parseConfiguration,
  parseConfigurationFile,
  renderMistake,
} from "../model/index.js";
import { mistakesError } from "./mistakes-error.js";
import type { NetworkArgs } from "./network-args.js";
import { lateConfiguration } from "./plain-identities.js";
import { withUnknowns } from "./with-unknowns.js";

/**
 * The configuration of a whole cluster: as the path of a YAML file, as YAML, or as an object, such as structured stack
 * configuration (`value: config.requireObject("network")`). In an object, what names no network may be an Output.
 */
export type ConfigurationSource =
  | { readonly value: unknown; readonly yaml?: never; readonly file?: never }
  | { readonly yaml: string; readonly value?: never; readonly file?: never }
  | { readonly file: string; readonly value?: never; readonly yaml?: never };

export interface ReadConfiguration {
  /** What is known of it; Outputs stand as the unknown value. */
  readonly configuration: Configuration;
  /** The networks in its order, as the source has them. */
  readonly networks: readonly NetworkArgs[];
}

/**
 * @throws ResourceError that lists every mistake, in YAML with line and column; or for a file that cannot be read
 */
export function readConfiguration(component: string, source: ConfigurationSource): ReadConfiguration {
  const given = Object.values({ value: source.value, yaml: source.yaml, file: source.file });
  if (given.filter((part) => part !== undefined).length !== 1) {
    throw plainError(
      `${component}: the configuration must come from one place; give "file" (a path), "yaml" (a text) or "value" (an object)`,
    );
  }
  if (source.value === undefined) {
    const text = source.yaml ?? readText(component, source.file ?? "");
    const configuration = accepted(component, parseConfigurationFile(text));
    return { configuration, networks: writtenNetworks(documentSource(text)) };
  }
  const known = withUnknowns(source.value);
  const late = lateConfiguration(known);
  if (late.length > 0) throw mistakesError(component, late);
  const configuration = accepted(component, parseConfiguration(known));
  return { configuration, networks: writtenNetworks(source.value) };
}

/** As they stand there, and not in the normal form: what the provider says of them then names the places of the source. */
function writtenNetworks(source: unknown): readonly NetworkArgs[] {
  return (source as { readonly networks: readonly NetworkArgs[] }).networks;
}

function accepted(component: string, parsed: ParseResult<Configuration>): Configuration {
  if (!parsed.ok) throw mistakesError(component, parsed.mistakes);
  for (const warning of parsed.warnings) pulumi.log.warn(`${component}: ${renderMistake(warning)}`);
  return parsed.value;
}

function readText(component: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const path = resolve(file);
    const remedy =
      code === "ENOENT"
        ? `a relative path starts at the engine's working directory (${process.cwd()}), so write path.join(__dirname, "…"), or create the file`
        : "make it a file that the engine's user may read";
    throw plainError(`${component}: the configuration file ${path} cannot be read (${code}); ${remedy}`);
  }
}

function plainError(message: string): pulumi.ResourceError {
  return new pulumi.ResourceError(message, undefined, true);
}
