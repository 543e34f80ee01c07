import { existsSync } from "node:fs";
import { findProgram } from "./find-program.js";
import type { RootFilesystem } from "./root-filesystem.js";

/** What the agent and a person who debugs it call. */
const PROGRAMS = ["ip", "bridge", "nft", "conntrack", "ethtool", "setpriv"];

/** `ip` is not among them: busybox has an applet of that name, which knows little of rules and nothing of VXLAN. */
const APPLETS = ["cat", "env", "grep", "hostname", "id", "kill", "ls", "mkdir", "nc", "ps", "rm", "sleep", "wget"];

/** iproute2's names of tables and protocols: in /etc in Debian 12, below /usr/share since iproute2 6.5. */
const IPROUTE2_NAMES = ["/etc/iproute2", "/usr/share/iproute2"];

/**
 * First layer with Node, the network programs and a shell. It is the same for all images that run Node and does not change
 * with their code, so a containerd takes in most of their bytes only once.
 */
export async function nodePrograms(root: RootFilesystem): Promise<void> {
  await root.addSkeleton();
  await root.addProgram(process.execPath, "usr/bin/node");
  for (const name of PROGRAMS) await root.addProgram(findProgram(name), `usr/sbin/${name}`);
  await root.addProgram(findProgram("busybox"), "usr/bin/busybox");
  for (const applet of APPLETS) await root.addLink(`usr/bin/${applet}`, "busybox");
  // Not busybox's shell: Debian's static build prefers its own applets, `ip` among them, over the programs on PATH.
  await root.addProgram(findProgram("dash"), "usr/bin/sh");
  for (const folder of IPROUTE2_NAMES) if (existsSync(folder)) await root.addTree(folder, folder.slice(1));
}
