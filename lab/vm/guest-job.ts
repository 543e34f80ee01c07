export interface GuestCommand {
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  /** Added to the guest's small environment (HOME, PATH). */
  readonly env?: Readonly<Record<string, string>>;
}

/** The shell script that the guest's PID 1 runs: makes the kernel's modules loadable and becomes the command. */
export function guestJobScript(command: GuestCommand, modules: string): string {
  const environment = Object.entries(command.env ?? {}).map(([name, value]) => `export ${name}=${shellQuote(value)}`);
  return [
    "set -e",
    "mkdir -p /lib/modules",
    `mount --bind ${shellQuote(modules)} /lib/modules`,
    ...environment,
    `cd ${shellQuote(command.cwd)}`,
    `exec ${command.argv.map(shellQuote).join(" ")}`,
    "",
  ].join("\n");
}

/** Quotes a word for a POSIX shell (XCU 2.2.2: nothing is special between single quotes). */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
