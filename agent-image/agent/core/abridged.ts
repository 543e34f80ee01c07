/** As many commands as a line of a log is read for; a network may have a hundred thousand forwarding entries. */
const longest = 100;

/** For a log: the first hundred, and how many follow. */
export function abridged(commands: readonly string[]): readonly string[] {
  return commands.length <= longest
    ? commands
    : [...commands.slice(0, longest), `and ${commands.length - longest} more commands`];
}
