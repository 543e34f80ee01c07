import { type ReflectorName, reflectorNames } from "../topology.js";

/** Where FRR keeps sockets and pid files unless told otherwise; daemons and vtysh agree on it without options. */
export const FRR_DIRECTORY = "/run/frr";

export function isReflector(place: string): place is ReflectorName {
  return (reflectorNames as readonly string[]).includes(place);
}

/** A reflector's own FRR directory. It lies on the lab's tmpfs: the user frr may be unable to enter the state directory. */
export function reflectorDirectory(name: ReflectorName): string {
  return `/run/reflectors/${name}`;
}

/**
 * Runs `argv` with the reflector's own directory at {@link FRR_DIRECTORY}, so that plain `vtysh` talks to the daemons of the
 * place where it is started. The mount lasts as long as the command: `ip netns exec` gives each its own mount namespace.
 */
export function insideReflector(name: ReflectorName, argv: readonly string[]): readonly string[] {
  const script = `mount --bind "$0" ${FRR_DIRECTORY} && exec "$@"`;
  return ["sh", "-c", script, reflectorDirectory(name), ...argv];
}
