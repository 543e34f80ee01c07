import { writeFile } from "node:fs/promises";
import type { Lab } from "../lab.js";
import { findDaemon } from "../processes/index.js";
import type { ReflectorName } from "../topology.js";
import { bgpdConfiguration, zebraConfiguration } from "./frr-configuration.js";
import { FRR_DIRECTORY, reflectorDirectory } from "./reflector-entry.js";

/** Debian's place for FRR's daemons; they are in no PATH. */
const FRR_PROGRAMS = "/usr/lib/frr";
const FRR_USER = "frr";

const DAEMONS = ["zebra", "bgpd"] as const;
type FrrDaemon = (typeof DAEMONS)[number];

/** The name under which a reflector's daemon has its log and pid file. */
export const reflectorDaemon = (name: ReflectorName, daemon: FrrDaemon): string => `${name}-${daemon}`;

export function reflectorDaemons(name: ReflectorName): readonly string[] {
  return DAEMONS.map((daemon) => reflectorDaemon(name, daemon));
}

/** Writes a reflector's configuration and starts its zebra and bgpd. */
export async function createReflector(lab: Lab, name: ReflectorName): Promise<void> {
  const directory = reflectorDirectory(name);
  // The user frr owns the directory: the daemons drop root before they make their sockets.
  const own = ["install", "--directory", "--owner", FRR_USER, "--group", FRR_USER];
  await lab.admin([...own, FRR_DIRECTORY, directory]);
  await writeFile(lab.isolation.path(`${directory}/zebra.conf`), zebraConfiguration(name));
  await writeFile(lab.isolation.path(`${directory}/bgpd.conf`), bgpdConfiguration(name));
  await startReflector(lab, name);
}

/** Starts what does not run of a reflector's daemons. bgpd retries only after ten seconds to find zebra, so zebra is first. */
export async function startReflector(lab: Lab, name: ReflectorName): Promise<void> {
  for (const daemon of DAEMONS) {
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
  const configuration = `${FRR_DIRECTORY}/${daemon}.conf`;
  const options = ["--config_file", configuration, "--vty_addr", "127.0.0.1", "--log", "stdout"];
  await lab.startDaemon(name, {
    name: reflectorDaemon(name, daemon),
    argv: [`${FRR_PROGRAMS}/${daemon}`, ...options],
    ready: async () =>
      (await lab.exec(name, ["vtysh", "-d", daemon, "-c", "show version"], { check: false })).code === 0,
  });
}
