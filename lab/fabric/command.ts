import type { Lab } from "../lab.js";

/** One program call in the lab's root namespace. */
export type Command = readonly string[];

/** One call of `ip` in a network namespace of the lab. */
export function ip(namespace: string, ...args: readonly string[]): Command {
  return ["ip", "-n", namespace, ...args];
}

/** One program call in a network namespace of the lab. */
export function inside(namespace: string, ...argv: readonly string[]): Command {
  return ["ip", "netns", "exec", namespace, ...argv];
}

/**
 * Runs the commands in their order, in one shell, because entering the lab for each costs ten times what the command does.
 *
 * @throws At the first that fails, naming it.
 */
export async function execute(lab: Lab, commands: readonly Command[]): Promise<void> {
  await lab.admin(["sh", "-s"], { input: script(commands) });
}

/** The commands as a shell script that stops at the first that fails and names it. */
export function script(commands: readonly Command[]): string {
  const run = `run() { "$@" || { code=$?; echo "failed: $*" >&2; exit $code; }; }`;
  return `${[run, ...commands.map((argv) => `run ${argv.map(quote).join(" ")}`)].join("\n")}\n`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
