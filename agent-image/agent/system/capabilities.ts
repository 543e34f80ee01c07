/** linux/capability.h: the rights of root that the agent uses. */
const numbers = { NET_BIND_SERVICE: 10n, NET_ADMIN: 12n, NET_RAW: 13n } as const;

export type Capability = keyof typeof numbers;

/**
 * Which of the wanted capabilities a process does not have. Not the user's number decides: a container has root without them, and
 * a service may have them without root.
 *
 * @param status of the process, as `/proc/PID/status` has it (proc_pid_status(5))
 */
export function lackedCapabilities(status: string, wanted: readonly Capability[]): readonly Capability[] {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return wanted.filter((name) => ((effective >> numbers[name]) & 1n) === 0n);
}
