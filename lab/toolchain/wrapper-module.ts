import { MINIMUM_GO } from "../bootstrap/go-runtime.mjs";
import type { FolderReplacements, ModuleVersion, Replacement } from "./tool.js";

/**
 * Text of the go.mod of a module that only requires another one. `go install package@version` refuses modules that have
 * replace lines (golang/go#44840); a wrapper that repeats the lines may build their packages. Its `go` line is the highest of
 * all wrapped modules, because a build refuses a requirement with a higher one than its own.
 */
export function wrapperModule(required: ModuleVersion | undefined, replacements: readonly Replacement[]): string {
  return [
    "module toolchain-wrapper",
    "",
    `go ${MINIMUM_GO}`,
    ...(required === undefined ? [] : ["", `require ${required.path} ${required.version}`]),
    ...(replacements.length === 0 ? [] : [""]),
    ...replacements.map(({ from, to }) => `replace ${from} => ${to.path} ${to.version}`),
    "",
  ].join("\n");
}

/**
 * The replacements for the modules that a go.mod maps to folders of its own repository (`replace a => ./staging/src/a`).
 *
 * @param goMod text of the go.mod of the module to be wrapped
 */
export function folderReplacements(goMod: string, { version }: FolderReplacements): readonly Replacement[] {
  return Array.from(goMod.matchAll(/^\s*(?:replace\s+)?(\S+)\s+=>\s+\.\.?\/\S+$/gm), ([, path]) => {
    // The pattern has this group in every match.
    const from = path as string;
    return { from, to: { path: from, version } };
  });
}
