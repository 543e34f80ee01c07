/**
 * A text that somebody else wrote, for a terminal or a line of a log: control and format characters (bidirectional overrides among
 * them) and the separators that end a line are replaced.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}
