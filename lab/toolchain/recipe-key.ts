import { createHash } from "node:crypto";
import type { Tool } from "./tool.js";

/** Enough to tell recipes apart, short enough to read. */
const HASH_DIGITS = 10;

/**
 * Name of the cache folder of a built tool. It changes with everything that decides what is built, so that a changed version,
 * linker variable or source never meets an old program.
 *
 * @param ownMain text of the tool's main.go when it is ours
 */
export function recipeKey(tool: Tool, ownMain = ""): string {
  return `${tool.name}-${tool.version}-${shortHash({ source: tool.source, variables: tool.variables, ownMain })}`;
}

/** Name of the folder that holds the links to one set of tools. */
export function toolSetKey(recipeKeys: readonly string[]): string {
  return `bin-${shortHash(recipeKeys)}`;
}

function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, HASH_DIGITS);
}
