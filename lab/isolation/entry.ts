/** Where a command can run: a network namespace of the lab by its name, or the lab's root namespace. */
export const ADMIN = "admin";

/** `nsenter --pid` forks once and then only waits (setns(2): a pid namespace holds for children only). */
export const ENTRY_WAITING_PARENTS = 1;

/**
 * The command line that runs `argv` inside the lab whose PID 1 is `holder`.
 *
 * @param place `admin`, or the name of a network namespace of the lab; `ip netns exec` also mounts its own /sys, so that
 *   /sys/class/net tells the truth there.
 */
export function enterLab(holder: number, place: string, argv: readonly string[]): readonly string[] {
  const lab = nsenter(holder, "--net", "--mount", "--pid");
  return place === ADMIN ? [...lab, ...argv] : [...lab, "ip", "netns", "exec", place, ...argv];
}

/** The command line that runs `argv` in all namespaces of a process, such as PID 1 of a lab node. */
export function enterProcess(pid: number, argv: readonly string[]): readonly string[] {
  return [...nsenter(pid, "--all"), ...argv];
}

/**
 * Entering a mount namespace alone leads to its topmost root, which is another one when all of this runs in a chroot; so root
 * and working directory are the target's.
 */
function nsenter(target: number, ...namespaces: readonly string[]): readonly string[] {
  return ["nsenter", "--target", String(target), ...namespaces, "--root", "--wd", "--"];
}
