import * as pulumi from "@pulumi/pulumi";
import { type Mistake, renderMistake } from "../model/index.js";

/**
 * One error for all mistakes in a component's arguments, without a stack: only `ResourceError` and `RunError` are printed
 * that way for a component of the program itself (sdk/nodejs/cmd/run/run.ts).
 */
export function mistakesError(component: string, mistakes: readonly Mistake[]): pulumi.ResourceError {
  const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
  const lines = mistakes.map((mistake) => `  ${renderMistake(mistake)}`);
  return new pulumi.ResourceError([`${component} has ${count}:`, ...lines].join("\n"), undefined, true);
}
