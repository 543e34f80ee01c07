/** What ends an iproute2 or ethtool print instead of standing in it: the characters that JSON allows between its tokens. */
const BETWEEN_TOKENS = "\t\n\r";

/**
 * Reads what iproute2 or ethtool printed as JSON. They escape quotes, backslashes and the controls that have a letter of
 * their own, but print every other control character of an interface's name or alias as it is (jsonw_puts of iproute2's
 * lib/json_writer.c), where JSON has none (RFC 8259 section 7). One such alias anywhere on a node would else end every pass.
 *
 * @throws SyntaxError when the text is no JSON even then
 */
export function parsePrintedJson<T>(text: string): T {
  return JSON.parse(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
    text.replaceAll(/[\u0000-\u001f]/g, (character) =>
      BETWEEN_TOKENS.includes(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  ) as T;
}
