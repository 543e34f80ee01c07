import { existsSync } from "node:fs";
import { CONTROL_PLANE, SPINE, WRONG_DOOR } from "../fabric/index.js";
import type { Lab } from "../lab.js";
import { places } from "../topology.js";

export interface PlaceStatus {
  readonly name: string;
  readonly namespace: boolean;
  /** `INTERFACE ADDRESS/LENGTH` of every global IPv4 address. */
  readonly addresses: readonly string[];
}

/** Everything that has a network namespace: what a person may enter, and what works behind it. */
const NAMESPACES = [...places, WRONG_DOOR, CONTROL_PLANE, SPINE];

export function placeStatuses(lab: Lab): Promise<readonly PlaceStatus[]> {
  return Promise.all(
    NAMESPACES.map(async (name) => {
      if (!existsSync(lab.isolation.path(`/run/netns/${name}`))) return { name, namespace: false, addresses: [] };
      const { stdout } = await lab.admin(["ip", "-n", name, "-json", "-4", "address", "show", "scope", "global"]);
      return { name, namespace: true, addresses: parseAddresses(stdout) };
    }),
  );
}

/** Reads `ip -json address show`; with a filter it lists interfaces without a match as empty objects. */
export function parseAddresses(json: string): readonly string[] {
  const interfaces = JSON.parse(json) as readonly {
    readonly ifname?: string;
    readonly addr_info?: readonly { readonly local: string; readonly prefixlen: number }[];
  }[];
  return interfaces.flatMap(({ ifname, addr_info = [] }) =>
    addr_info.map(({ local, prefixlen }) => `${ifname} ${local}/${prefixlen}`),
  );
}
