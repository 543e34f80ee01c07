import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import ts from "typescript";
import { type Layer, layers } from "./architecture.js";

export interface Violation {
  readonly file: string;
  readonly specifier: string;
  readonly reason: string;
}

/** The layer that a repository-relative path lies in: the longest folder that contains it. */
export function layerOf(path: string, table: readonly Layer[] = layers): Layer | undefined {
  return table
    .filter((layer) => path === layer.folder || path.startsWith(`${layer.folder}/`))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

/**
 * Judges the imports of one file.
 * @param file path relative to the repository, with forward slashes
 */
export function violationsOf(file: string, source: string, table: readonly Layer[] = layers): Violation[] {
  const layer = layerOf(file, table);
  if (layer === undefined) {
    return [{ file, specifier: "", reason: "lies in no layer of tests/lint/architecture.ts; add its folder there" }];
  }
  return importedBy(file, source).flatMap((specifier) => {
    const reason = specifier.startsWith(".")
      ? judgeRelative(layer, normalize(join(dirname(file), specifier)))
      : judgePackage(layer, specifier);
    return reason === undefined ? [] : [{ file, specifier, reason }];
  });
}

/** Specifiers of `import`, `export … from`, `import()` and `require()`; a method that is called `require` is none. */
function importedBy(file: string, source: string): readonly string[] {
  const specifiers: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && isImportCall(node)
          ? node.arguments[0]
          : undefined;
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) specifiers.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest));
  return specifiers;
}

function isImportCall({ expression }: ts.CallExpression): boolean {
  return (
    expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === "require")
  );
}

function judgeRelative(layer: Layer, target: string): string | undefined {
  const path = target.replace(/\.js$/, "");
  const allowed = [layer.folder, ...layer.folders];
  if (allowed.some((folder) => path === folder || path.startsWith(`${folder}/`))) return undefined;
  return `${layer.folder}/ may import ${list(layer.folders)}, not ${path}`;
}

function judgePackage(layer: Layer, specifier: string): string | undefined {
  const matches = layer.packages.some((pattern) =>
    pattern.endsWith("*")
      ? specifier.startsWith(pattern.slice(0, -1))
      : specifier === pattern || specifier.startsWith(`${pattern}/`),
  );
  return matches ? undefined : `${layer.folder}/ may use ${list(layer.packages)}, not ${specifier}`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}

function sourceFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourceFiles(root, path);
    return entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

/** Every violation in the repository, and how many files were read. */
export function lintRepository(root: string): { readonly files: number; readonly violations: readonly Violation[] } {
  const tops = [...new Set(layers.map((layer) => layer.folder.split("/")[0] as string))];
  const files = tops.flatMap((top) => sourceFiles(root, top));
  const violations = files.flatMap((file) =>
    violationsOf(relative("", file).replaceAll("\\", "/"), readFileSync(join(root, file), "utf8")),
  );
  return { files: files.length, violations };
}

if (require.main === module) {
  const { files, violations } = lintRepository(process.cwd());
  for (const { file, specifier, reason } of violations) console.error(`${file}: import of "${specifier}": ${reason}`);
  console.log(`import direction: ${files} files, ${violations.length} violations`);
  process.exitCode = violations.length === 0 && files > 0 ? 0 : 1;
}
