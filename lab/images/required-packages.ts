import { isBuiltin } from "node:module";

/**
 * Names of the packages that a compiled CommonJS file asks for. `require("@scope/name/part")` and
 * `import("@scope/name/part")` ask for `@scope/name`.
 */
export function requiredPackages(source: string): readonly string[] {
  return Array.from(source.matchAll(/\b(?:require|import)\("([^".][^"]*)"\)/g), ([, specifier]) => String(specifier))
    .filter((specifier) => !isBuiltin(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
}
