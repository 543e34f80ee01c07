import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../bootstrap/repository.mjs";
import { recipeKey } from "./recipe-key.js";
import type { Tool } from "./tool.js";

/** The source of a program of ours; Go sources stay where they are written, only TypeScript goes to `dist`. */
export function ownMainFile(name: string): string {
  return join(repositoryRoot, "lab", "toolchain", name, "main.go");
}

/** The cache key of a tool as the sources are now. */
export function currentRecipeKey(tool: Tool): string {
  return tool.source.kind === "own-main"
    ? recipeKey(tool, readFileSync(ownMainFile(tool.name), "utf8"))
    : recipeKey(tool);
}
