import type { z } from "zod";
import { anyText, fieldHelp, knownKeys, placeOf } from "./field-help.js";
import { type Finding, isObject, type Path, renderPath, valueAt } from "./finding.js";
import { isSecretKey } from "./hidden-secrets.js";
import type { MistakeCode } from "./mistake.js";
import { unknownKey as unknownKeyProblem } from "./nearest-key.js";
import { showValue } from "./show-value.js";
import { type UnsupportedKey, unsupportedKey } from "./unsupported-keys.js";

type Issue = z.core.$ZodIssue;

/** The words for one kind of document. */
export interface Vocabulary {
  /** What to write at a path, as the end of a sentence. */
  readonly help: (path: Path) => string;
  /** Keys that may stand in the mapping at a path. */
  readonly keys: (path: Path, type: unknown) => readonly string[];
  /** Keys that are known and cannot be used. */
  readonly unsupported?: (path: Path) => UnsupportedKey | undefined;
}

const configurationVocabulary: Vocabulary = {
  help: fieldHelp,
  keys: knownKeys,
  unsupported: (path) => unsupportedKey(placeOf(path)),
};

/** Everything that the schema found, in our words. `normal` is the value that was validated. */
export function schemaFindings(
  issues: readonly Issue[],
  normal: unknown,
  vocabulary: Vocabulary = configurationVocabulary,
): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const finding of issues.flatMap((issue) => issueFindings(issue, [], normal, vocabulary))) {
    // A number beyond all integers breaks every bound of its field: one message says it.
    const key = `${finding.code} ${renderPath(finding.path)}`;
    if (!findings.has(key)) findings.set(key, finding);
  }
  return [...findings.values()];
}

/**
 * A known key that is missing where a misspelt one stands was not left out, it was misspelt: without the findings that say
 * so a second time.
 */
export function withoutMisspelt(findings: readonly Finding[]): readonly Finding[] {
  const meant = new Set(
    findings.flatMap(({ path, meantKey }) =>
      meantKey === undefined ? [] : [renderPath([...path.slice(0, -1), meantKey])],
    ),
  );
  return findings.filter(({ code, path }) => code !== "Missing" || !meant.has(renderPath(path)));
}

function issueFindings(issue: Issue, parent: Path, normal: unknown, vocabulary: Vocabulary): readonly Finding[] {
  const path: Path = [...parent, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  const value = valueAt(normal, path);
  const finding = (code: MistakeCode, message: string): Finding[] => [
    { code, path, value, message, remedy: `write ${vocabulary.help(path)}` },
  ];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, path, normal, vocabulary));
    case "invalid_union": {
      if (issue.discriminator !== undefined) return typeFindings([...parent, ...issue.path] as Path, normal);
      // Only unknown values and the real schema stand in our unions; the real schema is the last.
      return (issue.errors.at(-1) ?? []).flatMap((nested) => issueFindings(nested, path, normal, vocabulary));
    }
    case "invalid_key":
      return issue.issues.flatMap((nested) => issueFindings(nested, path, normal, vocabulary));
    case "custom": {
      const { code, remedy } = issue.params as { readonly code: MistakeCode; readonly remedy: string };
      return [{ code, path, value, message: issue.message, remedy }];
    }
    case "too_small":
    case "too_big":
      if (Array.isArray(value)) return finding("OutOfRange", value.length === 0 ? "is empty" : "has too many entries");
      return finding("OutOfRange", "is out of range");
    case "invalid_value":
      return value === undefined ? finding("Missing", "is missing") : finding("NotOneOf", "is not one of the choices");
    case "invalid_type":
      return [wrongType(issue, path, value, vocabulary)];
    default:
      return finding("WrongType", "does not fit here");
  }
}

function wrongType(
  issue: Issue & { readonly code: "invalid_type" },
  path: Path,
  value: unknown,
  vocabulary: Vocabulary,
): Finding {
  const help = vocabulary.help(path);
  const remedy = `write ${help}`;
  if (value === undefined) return { code: "Missing", path, value, message: "is missing", remedy };
  if (/Asn$/.test(String(path.at(-1)))) return wrongAsn(path, value);
  if (value === null) return { code: "Missing", path, value, message: "is empty", remedy };
  const expected = kindOf(issue.expected);
  if (typeof value === "string") {
    const unquoted = /^(true|false)$/.test(value) && help.includes("true") ? ", without quotes" : "";
    return { code: "WrongType", path, value, message: `is a text, not ${expected}`, remedy: `${remedy}${unquoted}` };
  }
  if (typeof value === "number" && expected === "a number") {
    return { code: "WrongType", path, value, message: "is not a whole number", remedy };
  }
  const isScalar = typeof value === "number" || typeof value === "boolean";
  const quoted = help === anyText && isScalar ? `write "${showValue(value)}" in quotes` : remedy;
  return { code: "WrongType", path, value, message: `is not ${expected}`, remedy: quoted };
}

function kindOf(expected: string): string {
  switch (expected) {
    case "array":
      return "a list";
    case "object":
    case "record":
      return "a mapping";
    case "string":
      return "a text";
    case "int":
    case "number":
      return "a number";
    default:
      return `a ${expected}`;
  }
}

function wrongAsn(path: Path, value: unknown): Finding {
  if (typeof value === "number" && Number.isFinite(value)) {
    // YAML has made 1.1 of 1.10 before anybody could tell them apart (ipspace/netlab#1023).
    return { code: "InvalidAsn", path, value, message: "is not an integer", remedy: "write dotted numbers in quotes" };
  }
  return { code: "InvalidAsn", path, value, message: "is not an AS number", remedy: `write ${fieldHelp(path)}` };
}

/** `type` decides what else may stand in a network, so it must be right, and known in a preview too. */
function typeFindings(path: Path, normal: unknown): readonly Finding[] {
  const network = path.at(-1) === "type" ? path.slice(0, -1) : path;
  const value = valueAt(normal, [...network, "type"]);
  const content = valueAt(normal, network);
  const guess = isObject(content) ? ["vxlan", "vlan"].filter((type) => type in content) : [];
  const remedy = `write type: ${guess.length === 1 ? guess[0] : "vxlan or vlan"}`;
  const message = value === undefined ? "is missing" : "is not a type of network";
  return [{ code: value === undefined ? "Missing" : "NotOneOf", path: [...network, "type"], value, message, remedy }];
}

function unknownKey(key: string, path: Path, normal: unknown, vocabulary: Vocabulary): Finding {
  const owner = valueAt(normal, path);
  const { type, [key]: value } = isObject(owner) ? owner : {};
  const unsupported = vocabulary.unsupported?.([...path, key]);
  if (unsupported !== undefined) return { code: "NotSupported", path: [...path, key], ...unsupported };
  // In `{password: one,two}` the comma ends the password, and its rest becomes a key.
  if (value === null && isObject(owner) && Object.keys(owner).some(isSecretKey)) {
    const message = "has a key without a value beside a secret";
    const remedy = "write the secret in quotes, or remove the key";
    return { code: "UnknownKey", path: [...path, key], hidesKey: true, message, remedy };
  }
  const finding = { code: "UnknownKey", path: [...path, key], value } as const;
  if ((key === "vlan" || key === "vxlan") && (type === "vlan" || type === "vxlan")) {
    const message = `does not belong to type ${type}`;
    return { ...finding, meantKey: type, message, remedy: `remove it or write type: ${key}` };
  }
  const { nearest, ...problem } = unknownKeyProblem(key, vocabulary.keys(path, type));
  return { ...finding, ...problem, ...(nearest === undefined ? {} : { meantKey: nearest }) };
}
