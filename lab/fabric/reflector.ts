import { writeFile } from "node:fs/promises";
import type { Lab } from "../lab.js";
import { findDaemon } from "../processes/index.js";
import type { ReflectorName } from "../topology.js";
import { bgpdConfiguration, zebraConfiguration } from "./frr-configuration.js";
import { type FrrDaemon, frrCommand, frrDaemons, frrDirectory, makeFrrDirectory } from "./frr-entry.js";

/** The name under which a reflector's daemon has its log and pid file. */
export const reflectorDaemon = (name: ReflectorName, daemon: FrrDaemon): string => `${name}-${daemon}`;

export function reflectorDaemons(name: ReflectorName): readonly string[] {
  return frrDaemons.map((daemon) => reflectorDaemon(name, daemon));
}

/** Writes a reflector's configuration and starts its zebra and bgpd. */
export async function createReflector(lab: Lab, name: ReflectorName): Promise<void> {
  const directory = frrDirectory(name);
  await lab.admin(makeFrrDirectory(name));
  await writeFile(lab.isolation.path(`${directory}/zebra.conf`), zebraConfiguration(name));
  await writeFile(lab.isolation.path(`${directory}/bgpd.conf`), bgpdConfiguration(name));
  await startReflector(lab, name);
}

/** Starts what does not run of a reflector's daemons. bgpd retries only after ten seconds to find zebra, so zebra is first. */
export async function startReflector(lab: Lab, name: ReflectorName): Promise<void> {
  for (const daemon of frrDaemons) {
    if (findDaemon(lab.pidFile(reflectorDaemon(name, daemon))) === undefined) await start(lab, name, daemon);
  }
}

/**
 * Ends a reflector's bgpd: its sessions close and its routes go. zebra and the leaf's kernel state stay, as when the
 * routing process of a switch restarts.
 */
export function stopReflector(lab: Lab, name: ReflectorName): Promise<void> {
  return lab.stopDaemon(reflectorDaemon(name, "bgpd"));
}

async function start(lab: Lab, name: ReflectorName, daemon: FrrDaemon): Promise<void> {
  await lab.startDaemon(name, {
    name: reflectorDaemon(name, daemon),
    argv: frrCommand(daemon),
    ready: async () =>
      (await lab.exec(name, ["vtysh", "-d", daemon, "-c", "show version"], { check: false })).code === 0,
  });
}
