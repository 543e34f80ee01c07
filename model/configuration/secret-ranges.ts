import { type Document, isNode, isScalar, visit } from "yaml";
import { isSecretKey } from "./hidden-secrets.js";

/** Says nothing of the text, not even which character is wrong. */
export const misreadSecret = {
  value: undefined,
  message: "cannot be read in or behind a secret",
  remedy: "write the secret in quotes, and correct the text",
} as const;

/** Offsets into the text. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * From the end of each key whose value may be a secret to the end of that value. A secret without quotes may end sooner for
 * YAML than for people, as at the comma of `{password: one,two}`: the line, and in braces the mapping, count as it too.
 */
export function secretRanges(document: Document.Parsed, text: string): readonly TextRange[] {
  const ranges: TextRange[] = [];
  visit(document, {
    Map(_key, map) {
      for (const { key, value } of map.items) {
        if (!isScalar(key) || key.range == null || !isSecretKey(String(key.value))) continue;
        const [, start] = key.range;
        const isQuoted = isScalar(value) && /^QUOTE/.test(value.type ?? "");
        const ends = isQuoted
          ? [endOf(value)]
          : [endOf(value), map.flow === true ? endOf(map) : endOfLine(text, start)];
        ranges.push({ start, end: Math.max(...ends) });
      }
    },
  });
  return ranges;
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end;
}

function endOf(node: unknown): number {
  return (isNode(node) ? node.range?.[2] : undefined) ?? 0;
}
