/**
 * A setting of an interface that we leave as the kernel makes it, and that somebody has changed so that traffic breaks: `noArp` asks
 * no host for its MAC, `remote` floods to a VTEP of its own and sends unknown MACs there, `ttl` ends a tunnel on its way, `stp` blocks
 * ports and sends BPDUs to the fabric.
 */
export type LinkStray = "noArp" | "remote" | "ttl" | "stp" | PortStray;

/** Of the port of a bridge, by the option of iproute2 that sets it. */
export type PortStray = keyof typeof portDefaults;

/** What the kernel gives a new port (br_if.c: BR_LEARNING | BR_FLOOD | BR_MCAST_FLOOD | BR_BCAST_FLOOD). */
const portDefaults = {
  flood: true,
  mcast_flood: true,
  bcast_flood: true,
  isolated: false,
  locked: false,
  hairpin: false,
  neigh_suppress: false,
} as const;

const portSettings = Object.keys(portDefaults) as readonly PortStray[];

/** @param settings of a port, by option; one that is absent is none that this kernel or iproute2 has */
export function portStrays(settings: Readonly<Record<string, unknown>>): readonly PortStray[] {
  return portSettings.filter((name) => settings[name] !== undefined && settings[name] !== portDefaults[name]);
}

/** Options of `ip link set … type bridge_slave` that make a port's settings those of a new one; empty where they are. */
export function portRepair(strays: readonly LinkStray[]): string {
  return portSettings
    .filter((name) => strays.includes(name))
    .map((name) => `${name} ${portDefaults[name] ? "on" : "off"}`)
    .join(" ");
}
