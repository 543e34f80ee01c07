/** Longer values are cut: a message names the value, it does not repeat a document. */
const shownLength = 60;

/**
 * What a terminal obeys or hides instead of showing it: control characters, those that turn the direction of text, and blanks
 * that look like a space and are none.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** What YAML 1.2 reads as something else than a text (core schema, YAML 1.2.2 section 10.3.2). */
const otherThanText =
  /^(?:true|false|null|~|[-+]?(?:\.inf|(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)|\.nan|0[xo][\da-f]+)$/i;

/** The text on one line, with nothing in it that a terminal would not show. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** A value as people wrote it; texts in quotes where they would be taken for something else, or end in a blank. */
export function showValue(value: unknown): string {
  if (value === undefined) return "";
  return shortened(printable(plain(value)));
}

/** A piece of the source: no value of it, so without quotes of ours. */
export function showSource(text: string): string {
  return shortened(printable(text));
}

function shortened(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength - 1)}…` : text;
}

function plain(value: unknown): string {
  if (typeof value === "number") return yamlNumber(value);
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain =
    value !== "" && value.trim() === value && value.search(unprintable) === -1 && !otherThanText.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** JSON has no word for these, and would call them null. */
function yamlNumber(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  return Number.isFinite(value) ? String(value) : value > 0 ? ".inf" : "-.inf";
}
