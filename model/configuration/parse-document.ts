import { type Document, isMap, isNode, isSeq, LineCounter, parseAllDocuments, visit } from "yaml";
import { type Finding, type Path, sourcePath, toMistake } from "./finding.js";
import type { Mistake, MistakeCode, ParseResult } from "./mistake.js";

/** What a check of a document's content gives. */
export interface Examined<Value> {
  /** Undefined when there are mistakes. */
  readonly value: Value | undefined;
  readonly mistakes: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/**
 * Reads one document (YAML 1.2, of which JSON is a part) and lets `examine` judge its content; every mistake carries line and
 * column.
 */
export function parseDocument<Value>(text: string, examine: (source: unknown) => Examined<Value>): ParseResult<Value> {
  const lines = new LineCounter();
  // An empty stream is an object with `empty`, else a list; both are lists of documents.
  const documents: readonly Document.Parsed[] = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    // Everything that matters is a mistake of ours; the library would print its warnings past the caller.
    logLevel: "error",
  });
  const syntax = syntaxMistakes(documents, lines);
  if (syntax.length > 0) return { ok: false, mistakes: syntax, warnings: [] };
  const [document] = documents;
  const content = contentOf(document);
  if (content.kind === "mistake") return { ok: false, mistakes: [content.mistake], warnings: [] };
  const { source } = content;
  const examined = examine(source);
  const toMistakes = (findings: readonly Finding[]) =>
    findings.map((finding) => located(finding, source, document, lines)).sort(byPosition);
  const warnings = toMistakes(examined.warnings);
  return examined.value === undefined
    ? { ok: false, mistakes: toMistakes(examined.mistakes), warnings }
    : { ok: true, value: examined.value, warnings };
}

type Content =
  | { readonly kind: "source"; readonly source: unknown }
  | { readonly kind: "mistake"; readonly mistake: Mistake };

/** The library refuses documents whose aliases multiply beyond all use ("billion laughs", its option maxAliasCount). */
function contentOf(document: Document.Parsed | undefined): Content {
  try {
    return { kind: "source", source: document?.toJS() };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const message = "repeats values by alias too often";
    return {
      kind: "mistake",
      mistake: { code: "InvalidSyntax", path: "", value: undefined, message, remedy: "write the values out" },
    };
  }
}

function byPosition(left: Mistake, right: Mistake): number {
  return (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0);
}

function syntaxMistakes(documents: readonly Document.Parsed[], lines: LineCounter): readonly Mistake[] {
  const [first, second] = documents;
  if (first === undefined) return [];
  const at = (offset: number, code: MistakeCode, value: unknown, message: string, remedy: string): Mistake => {
    const { line, col } = lines.linePos(offset);
    return { code, path: "", value, message, remedy, line, column: col };
  };
  if (second !== undefined) {
    const remedy = "write one document, without --- between its parts";
    return [at(second.range[0], "SeveralDocuments", undefined, "the file holds several documents", remedy)];
  }
  // Every level that is open when the parser gives up is an error of its own; where that is depends on the stack.
  if (first.errors.some(({ message }) => /call stack|stack overflow/i.test(message))) {
    const message = "is nested too deeply";
    return [{ code: "InvalidSyntax", path: "", value: undefined, message, remedy: "correct the text" }];
  }
  const errors = first.errors.map((error) =>
    error.code === "DUPLICATE_KEY"
      ? at(error.pos[0], "DuplicateKey", undefined, "a key stands twice in one mapping", "keep one of the two")
      : at(
          error.pos[0],
          "InvalidSyntax",
          undefined,
          `is not YAML: ${firstWordSmall(error.message)}`,
          "correct the text",
        ),
  );
  return [...errors, ...surprises(first, at)];
}

function firstWordSmall(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

type At = (offset: number, code: MistakeCode, value: unknown, message: string, remedy: string) => Mistake;

/** Texts that are valid YAML and do not mean what people think. */
function surprises(document: Document.Parsed, at: At): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  visit(document, {
    Scalar(_key, scalar) {
      const { source, value, range } = scalar;
      if (typeof value !== "number" || source === undefined || !/^[-+]?0\d/.test(source)) return;
      const octal = /^[0-7]+$/.test(source) ? ` and ${Number.parseInt(source, 8)} in YAML 1.1` : "";
      const message = `is ${value} in YAML 1.2${octal}`;
      mistakes.push(at(range?.[0] ?? 0, "AmbiguousNumber", source, message, `write ${value} without leading zeros`));
    },
    Alias(_key, alias) {
      const [target, place] = [alias.resolve(document)?.range, alias.range?.[0]];
      if (target == null || place === undefined || place < target[0] || place >= target[2]) return;
      mistakes.push(at(place, "InvalidSyntax", `*${alias.source}`, "names a value that it is part of", "write it out"));
    },
  });
  return mistakes;
}

function located(
  finding: Finding,
  source: unknown,
  document: Document.Parsed | undefined,
  lines: LineCounter,
): Mistake {
  const mistake = toMistake(finding, source);
  const offset = document === undefined ? undefined : offsetOf(document, sourcePath(source, finding.path), finding);
  if (offset === undefined) return mistake;
  const { line, col } = lines.linePos(offset);
  return { ...mistake, line, column: col };
}

/** Where the value stands; its key when the key is the mistake; what is missing is missing in the mapping around it. */
function offsetOf(document: Document.Parsed, path: Path, finding: Finding): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const [index, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isNode(key) ? key.toJSON() : key) === step);
      if (pair === undefined) return offset;
      const last = index === path.length - 1;
      const place = (last && finding.code === "UnknownKey") || !isNode(pair.value) ? pair.key : pair.value;
      offset = (isNode(place) ? place.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset;
    } else return offset;
  }
  return offset;
}
