import { type ReflectorName, reflectorNames } from "../topology.js";

/** Where FRR keeps sockets and pid files unless told otherwise; daemons and vtysh agree on it without options. */
export const FRR_DIRECTORY = "/run/frr";
const FRR_USER = "frr";
/** Debian's place for FRR's daemons; they are in no PATH. */
const FRR_PROGRAMS = "/usr/lib/frr";

/** In the order of their start: bgpd retries only after ten seconds to find zebra. */
export const frrDaemons = ["zebra", "bgpd"] as const;
export type FrrDaemon = (typeof frrDaemons)[number] | "bfdd";

export function isReflector(place: string): place is ReflectorName {
  return (reflectorNames as readonly string[]).includes(place);
}

/** A place's own FRR directory. It lies on a tmpfs: the user frr may be unable to enter the state directory. */
export function frrDirectory(place: string): string {
  return `/run/routers/${place}`;
}

/**
 * Runs `argv` with the place's own directory at {@link FRR_DIRECTORY}, so that plain `vtysh` talks to the daemons of the
 * place where it is started. The mount lasts as long as the command: `ip netns exec` gives each its own mount namespace.
 */
export function insideFrr(place: string, argv: readonly string[]): readonly string[] {
  const script = `mount --bind "$0" ${FRR_DIRECTORY} && exec "$@"`;
  return ["sh", "-c", script, frrDirectory(place), ...argv];
}

/** Makes a place's directory. The user frr owns it: the daemons drop root before they make their sockets. */
export function makeFrrDirectory(place: string): readonly string[] {
  return ["install", "--directory", "--owner", FRR_USER, "--group", FRR_USER, FRR_DIRECTORY, frrDirectory(place)];
}

/** A daemon with the `<daemon>.conf` of the place's directory; it stays in the foreground and logs to standard output. */
export function frrCommand(daemon: FrrDaemon): readonly string[] {
  const configuration = `${FRR_DIRECTORY}/${daemon}.conf`;
  const options = ["--config_file", configuration, "--vty_addr", "127.0.0.1", "--log", "stdout"];
  return [`${FRR_PROGRAMS}/${daemon}`, ...options];
}
