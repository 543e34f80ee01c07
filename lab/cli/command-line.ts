import { parseArgs } from "node:util";
import { ADMIN } from "../isolation/index.js";
import { DEFAULT_LAB } from "../lab.js";
import { places } from "../topology.js";

export type LabCommand =
  | { readonly kind: "help" }
  | { readonly kind: "status"; readonly lab: string; readonly json: boolean }
  | { readonly kind: "shell"; readonly lab: string; readonly place: string }
  | { readonly kind: "exec"; readonly lab: string; readonly place: string; readonly argv: readonly string[] }
  | { readonly kind: "up"; readonly lab: string; readonly fabricOnly: boolean }
  | { readonly kind: "down"; readonly lab: string };

/** The person has to write something else. */
export class UsageError extends Error {}

const COMMANDS = ["status", "shell", "exec", "up", "down"] as const;

/**
 * Reads the arguments of `npm run lab --`.
 *
 * @throws UsageError
 */
export function parseCommandLine(args: readonly string[]): LabCommand {
  const { lab, help, rest } = leadingOptions(args);
  const [command, ...words] = rest;
  if (help || command === undefined) return { kind: "help" };
  switch (command) {
    case "exec": {
      const [place, ...argv] = words;
      if (place === "--help") return { kind: "help" };
      const separated = argv[0] === "--" ? argv.slice(1) : argv;
      if (separated.length === 0) throw new UsageError("exec: the command is missing: exec PLACE COMMAND ...");
      return { kind: "exec", lab, place: knownPlace("exec", place), argv: separated };
    }
    case "shell": {
      const { values, positionals } = options(words, {});
      if (values.help) return { kind: "help" };
      noMoreThan(1, command, positionals);
      return { kind: "shell", lab, place: knownPlace("shell", positionals[0]) };
    }
    case "status": {
      const { values, positionals } = options(words, { json: { type: "boolean" } });
      if (values.help) return { kind: "help" };
      noMoreThan(0, command, positionals);
      return { kind: "status", lab, json: values.json === true };
    }
    case "up": {
      const { values, positionals } = options(words, { "fabric-only": { type: "boolean" } });
      if (values.help) return { kind: "help" };
      noMoreThan(0, command, positionals);
      return { kind: "up", lab, fabricOnly: values["fabric-only"] === true };
    }
    case "down": {
      const { values, positionals } = options(words, {});
      if (values.help) return { kind: "help" };
      noMoreThan(0, command, positionals);
      return { kind: "down", lab };
    }
    default:
      throw new UsageError(`there is no command "${command}": use one of ${COMMANDS.join(", ")}`);
  }
}

/** Only those before the command: what stands behind `exec PLACE` belongs to the command that runs there. */
function leadingOptions(args: readonly string[]): { lab: string; help: boolean; rest: readonly string[] } {
  const [first, second, ...others] = args;
  if (first === "--help" || first === "-h" || first === "help") return { lab: DEFAULT_LAB, help: true, rest: [] };
  if (first !== "--lab") return { lab: DEFAULT_LAB, help: false, rest: args };
  if (second === undefined) throw new UsageError("--lab: the name is missing: --lab NAME");
  return { ...leadingOptions(others), lab: second };
}

type Flags = Readonly<Record<string, { readonly type: "boolean" }>>;

function options(words: readonly string[], flags: Flags) {
  try {
    return parseArgs({
      args: [...words],
      options: { ...flags, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    }) as { values: Readonly<Record<string, boolean | undefined>>; positionals: readonly string[] };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function knownPlace(command: string, place: string | undefined): string {
  const known: readonly string[] = [...places, ADMIN];
  if (place === undefined) throw new UsageError(`${command}: the place is missing: use one of ${known.join(", ")}`);
  if (!known.includes(place))
    throw new UsageError(`${command}: the lab has no "${place}": use one of ${known.join(", ")}`);
  return place;
}

function noMoreThan(count: number, command: string, words: readonly string[]): void {
  if (words.length > count) throw new UsageError(`${command}: there is one word too many, "${words[count]}"`);
}
