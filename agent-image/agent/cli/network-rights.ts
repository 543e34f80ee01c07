import { readFileSync } from "node:fs";

/** linux/capability.h */
const capNetAdmin = 12n;

/** Whether a process may change interfaces and routes, by what `/proc/PID/status` says of it (proc_pid_status(5)). */
export function hasNetAdmin(status: string): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective !== undefined && ((BigInt(`0x${effective}`) >> capNetAdmin) & 1n) === 1n;
}

/**
 * What this process lacks for changing the node's network; undefined when nothing. Not the user's number: a container has root
 * without this capability, and a service may have the capability without root.
 */
export function missingNetworkRights(): string | undefined {
  if (hasNetAdmin(readFileSync("/proc/self/status", "utf8"))) return undefined;
  const user = process.geteuid?.() ?? "?";
  return (
    `user ${user} lacks the capability CAP_NET_ADMIN here, without which nft does not list its tables and nothing can be ` +
    "removed; run it as root, for example with sudo, and in a container with the capability NET_ADMIN"
  );
}
