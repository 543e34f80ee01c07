/** Characters that no shell treats specially, and `$` of our own variables is not among them. */
const plainWord = /^[\w@%+=:,./-]+$/;

/** One word of a command line, quoted where a shell would read more into it. */
export function shellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
