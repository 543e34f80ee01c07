import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type YAMLError,
} from "yaml";
import { type Finding, type Path, sourcePath, toMistake } from "./finding.js";
import { hideSecrets } from "./hidden-secrets.js";
import type { Mistake, MistakeCode, ParseResult } from "./mistake.js";
import { misreadSecret, secretRanges } from "./secret-ranges.js";

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
  const read = readDocument(text);
  if (read.kind === "mistakes") return { ok: false, mistakes: read.mistakes, warnings: [] };
  const { source, document, lines } = read;
  const examined = examine(source);
  const toMistakes = (findings: readonly Finding[]) =>
    findings.map((finding) => located(finding, source, document, lines)).sort(byPosition);
  const warnings = toMistakes(examined.warnings);
  return examined.value === undefined
    ? { ok: false, mistakes: toMistakes(examined.mistakes), warnings }
    : { ok: true, value: examined.value, warnings };
}

/** The content of a document as it is written there; nothing where it cannot be read. */
export function documentSource(text: string): unknown {
  const read = readDocument(text);
  return read.kind === "content" ? read.source : undefined;
}

type ReadDocument =
  | { readonly kind: "mistakes"; readonly mistakes: readonly Mistake[] }
  | {
      readonly kind: "content";
      readonly source: unknown;
      readonly document: Document.Parsed | undefined;
      readonly lines: LineCounter;
    };

function readDocument(text: string): ReadDocument {
  const lines = new LineCounter();
  const tokens = tokensOf(text, lines);
  if (tokens.kind === "mistake") return { kind: "mistakes", mistakes: [tokens.mistake] };
  // Everything that matters is a mistake of ours; the library would print its warnings past the caller.
  const documents = [...new Composer({ prettyErrors: false, logLevel: "error" }).compose(tokens.tokens)];
  const syntax = syntaxMistakes(documents, lines, text);
  if (syntax.length > 0) return { kind: "mistakes", mistakes: syntax };
  const [document] = documents;
  const content = contentOf(document);
  if (content.kind === "mistake") return { kind: "mistakes", mistakes: [content.mistake] };
  return { kind: "content", source: content.source, document, lines };
}

type Tokens =
  | { readonly kind: "tokens"; readonly tokens: readonly CST.Token[] }
  | { readonly kind: "mistake"; readonly mistake: Mistake };

/** Levels of the syntax tree; a configuration has 16. What comes after the parser goes down level by level on the stack. */
const deepest = 100;

function tokensOf(text: string, lines: LineCounter): Tokens {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length <= deepest) continue;
    const { line, col } = lines.linePos(parser.offset);
    const position = { line, column: col };
    const mistake = { code: "InvalidSyntax", path: "", value: undefined, message: "is nested too deeply" } as const;
    return { kind: "mistake", mistake: { ...mistake, remedy: "correct the text", ...position } };
  }
  tokens.push(...parser.end());
  return { kind: "tokens", tokens };
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

function syntaxMistakes(documents: readonly Document.Parsed[], lines: LineCounter, text: string): readonly Mistake[] {
  const [first, second] = documents;
  if (first === undefined) return [];
  const secrets = secretRanges(first, text);
  const at = (offset: number, code: MistakeCode, value: unknown, message: string, remedy: string): Mistake => {
    const { line, col } = lines.linePos(offset);
    const isSecret = secrets.some(({ start, end }) => start < offset && offset <= end);
    const shown = isSecret ? misreadSecret : { value, message, remedy };
    return { code, path: "", ...shown, line, column: col };
  };
  if (second !== undefined) {
    const remedy = "write one document, without --- between its parts";
    return [at(second.range[0], "SeveralDocuments", undefined, "the file holds several documents", remedy)];
  }
  const loneReturn = text.search(/\r(?!\n)/);
  if (loneReturn !== -1) {
    const message = "holds a carriage return that ends no line";
    return [at(loneReturn, "InvalidSyntax", undefined, message, "end lines with a line feed, as text files do today")];
  }
  const duplicates = first.errors
    .filter(({ code }) => code === "DUPLICATE_KEY")
    .map(({ pos }) => {
      const message = "is a key that stands twice in one mapping";
      return at(pos[0], "DuplicateKey", wordAt(text, pos[0]), message, "keep one of the two");
    });
  const tags = first.warnings
    .filter(({ code }) => code === "TAG_RESOLVE_FAILED")
    .map(({ pos }) => at(pos[0], "InvalidSyntax", wordAt(text, pos[0]), "is a tag without meaning here", "remove it"));
  const others = [...duplicates, ...tags, ...versionMistakes(first, text, at), ...surprises(first, text, at)];
  const [broken] = first.errors
    .filter(({ code }) => code !== "DUPLICATE_KEY")
    .sort((one, other) => one.pos[0] - other.pos[0]);
  if (broken === undefined) return others;
  const mistake = at(
    broken.pos[0],
    "InvalidSyntax",
    undefined,
    `is not YAML: ${sentenceOf(broken)}`,
    "correct the text",
  );
  // What comes behind is read in another way than it was meant: further errors follow from this one.
  return [...others.filter((other) => byPosition(other, mistake) < 0), mistake];
}

/** Under another version numbers and texts are told apart in another way, as on, 0220 and 1_000. */
function versionMistakes(document: Document.Parsed, text: string, at: At): readonly Mistake[] {
  const directive = /^%YAML[ \t]+(\S+)/m.exec(text);
  const isRead = document.directives?.yaml.explicit === true;
  if (!isRead || directive === null || directive[1] === "1.2") return [];
  const message = "is another version of YAML than the one that is read here";
  return [at(directive.index, "InvalidSyntax", directive[0], message, "write %YAML 1.2, or remove the line")];
}

function wordAt(text: string, offset: number): string {
  return /^[^\s:,{}[\]]+/.exec(text.slice(offset, offset + 100))?.[0] ?? "";
}

/** Errors whose message is made of the text at their place, which may be a password's line. */
const quotingErrors: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: "invalid escape sequence in a text in double quotes",
  TAG_RESOLVE_FAILED: "a tag without meaning",
};

/** What the library says, without what it quotes of the text (behind the colon after an unexpected token). */
function sentenceOf({ code, message }: YAMLError): string {
  const sentence = code === "UNEXPECTED_TOKEN" ? message.replace(/: .*$/s, "") : message;
  return quotingErrors[code] ?? sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

type At = (offset: number, code: MistakeCode, value: unknown, message: string, remedy: string) => Mistake;

/** Texts that are valid YAML and do not mean what people think. */
function surprises(document: Document.Parsed, text: string, at: At): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  visit(document, {
    Scalar(_key, scalar) {
      const { source, value, range } = scalar;
      if (typeof value !== "number" || source === undefined || !/^[-+]?0\d/.test(source)) return;
      // Not `value`, which is the octal number in a document that calls itself YAML 1.1.
      const decimal = Number(source);
      const octal = /^[0-7]+$/.test(source) ? ` and ${Number.parseInt(source, 8)} in YAML 1.1` : "";
      const message = `is ${decimal} in YAML 1.2${octal}`;
      mistakes.push(at(range?.[0] ?? 0, "AmbiguousNumber", source, message, `write ${decimal} without leading zeros`));
    },
    Pair(_key, { key }) {
      const offset = (isNode(key) ? key.range?.[0] : undefined) ?? 0;
      if (isScalar(key) && key.value === "<<" && key.type === "PLAIN") {
        const message = "is a merge key, which YAML 1.2 does not have";
        mistakes.push(at(offset, "InvalidSyntax", "<<", message, "write the keys out"));
      } else if (!isAlias(key) && !(isScalar(key) && typeof key.value === "string")) {
        const [start, end] = (isNode(key) ? key.range : undefined) ?? [0, 0];
        const value = isScalar(key) ? key.value : hideSecrets(text.slice(start, end));
        mistakes.push(at(offset, "InvalidSyntax", value, "is a key that is not a text", "write it in quotes"));
      }
    },
    Alias(_key, alias) {
      const place = alias.range?.[0] ?? 0;
      const report = (message: string) =>
        mistakes.push(at(place, "InvalidSyntax", `*${alias.source}`, message, "write it out"));
      const target = alias.resolve(document);
      if (target === undefined) report("names no anchor before it");
      else if (target.range != null && place >= target.range[0] && place < target.range[2])
        report("names a value that it is part of");
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

/** Mistakes of the key, not of its value. */
const keyCodes: ReadonlySet<MistakeCode> = new Set(["UnknownKey", "NotSupported"]);

/** Where the value stands; its key when the key is the mistake; what is missing is missing in the mapping around it. */
function offsetOf(document: Document.Parsed, path: Path, finding: Finding): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const [index, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isNode(key) ? key.toJSON() : key) === step);
      if (pair === undefined) return offset;
      const last = index === path.length - 1;
      const place = (last && keyCodes.has(finding.code)) || !isNode(pair.value) ? pair.key : pair.value;
      offset = (isNode(place) ? place.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset;
    } else return offset;
  }
  return offset;
}
