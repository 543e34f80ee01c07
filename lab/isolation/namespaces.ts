import { readdirSync, readlinkSync } from "node:fs";

const KINDS = ["net", "mnt"] as const;

/** The network and mount namespace of a process, such as `net:[4026531833]`; empty when it has ended. */
export function namespacesOf(pid: number): readonly string[] {
  return KINDS.flatMap((kind) => {
    try {
      return [readlinkSync(`/proc/${pid}/ns/${kind}`)];
    } catch (error) {
      // ENOENT: gone. EACCES: a process that is ending, or one that this user may not look at.
      if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
      throw error;
    }
  });
}

export function sharesOne(pid: number, namespaces: readonly string[]): boolean {
  return namespacesOf(pid).some((namespace) => namespaces.includes(namespace));
}

export function allPids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
