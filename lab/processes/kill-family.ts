import { childrenOf, identify, isAlive, type ProcessIdentity, signal } from "./process-identity.js";
import { waitFor } from "./wait-for.js";

/** Kills a process and everything below it, and returns when all of it is gone. */
export async function killFamily(pid: number): Promise<void> {
  // Found before the first dies: a child whose parent has ended belongs to PID 1.
  const family = familyOf(pid);
  for (const member of family) signal(member, "SIGKILL");
  await waitFor(`process ${pid} and its children to be gone`, () => !family.some(isAlive), { interval: 5 });
}

function familyOf(pid: number): readonly ProcessIdentity[] {
  const identity = identify(pid);
  return [...(identity === undefined ? [] : [identity]), ...childrenOf(pid).flatMap(familyOf)];
}
