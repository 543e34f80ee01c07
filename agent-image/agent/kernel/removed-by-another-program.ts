import type { PlanCondition } from "../../../model/index.js";
import type { NetworkPrograms } from "./network-programs.js";
import { contestedAfter, contestedPace, contestWindow } from "./repair-limit.js";
import type { RepairedKind } from "./repaired-kind.js";

/**
 * Names who may have done it, by what runs on the node, and the setting that ends it.
 *
 * @param device the interface of the network; undefined for what belongs to the whole node
 */
export function removedByAnotherProgram(
  repaired: ReadonlySet<RepairedKind>,
  programs: NetworkPrograms,
  device?: string,
): PlanCondition {
  const what = [...repaired].sort();
  const causes = [
    ...(programs.networkd ? networkdRemedies(repaired, device) : []),
    ...(programs.networkManager ? networkManagerRemedies(repaired, device) : []),
    ...(repaired.has("the nft table") ? [FIREWALL_REMEDY] : []),
    ...(repaired.has("sysctls") ? [SYSCTL_REMEDY] : []),
  ];
  return {
    reason: "RemovedByAnotherProgram",
    message:
      `${what.join(", ")} had to be put back ${contestedAfter} times within ${contestWindow / 1000} s: another program ` +
      `removes or changes them; ${causes.length === 0 ? UNKNOWN_CAUSE : causes.join("; ")}; until a minute passes ` +
      `without, they are put back every ${contestedPace / 1000} s at most`,
  };
}

const FIREWALL_REMEDY =
  "the usual cause is a firewall that begins with `nft flush ruleset`: let it delete its own tables instead";

const SYSCTL_REMEDY =
  "the usual cause is systemd-sysctl or tuned: leave our interfaces out of its net.ipv4.conf and net.ipv6.conf patterns";

const UNKNOWN_CAUSE =
  "neither systemd-networkd nor NetworkManager was seen on this node: look for another network agent or a script";

/** networkd.conf(5): at each start and reconfiguration networkd removes what it did not make (systemd/systemd#19106). */
function networkdRemedies(repaired: ReadonlySet<RepairedKind>, device: string | undefined): readonly string[] {
  return [
    ...(repaired.has("rules") || repaired.has("routes")
      ? [
          "systemd-networkd runs: set ManageForeignRoutingPolicyRules=no and ManageForeignRoutes=no in the section " +
            "[Network] of /etc/systemd/networkd.conf and restart it",
        ]
      : []),
    ...(repaired.has("the interface") && device !== undefined
      ? [`systemd-networkd runs: give ${device} a .network file with Unmanaged=yes in the section [Link]`]
      : []),
  ];
}

/** NetworkManager.conf(5): it takes interfaces that others made down or over (projectcalico/calico#3271). */
function networkManagerRemedies(repaired: ReadonlySet<RepairedKind>, device: string | undefined): readonly string[] {
  if (device === undefined || !(["rules", "routes", "the interface"] as const).some((kind) => repaired.has(kind)))
    return [];
  return [
    `NetworkManager runs: set unmanaged-devices=interface-name:${device} in the section [keyfile] of ` +
      "/etc/NetworkManager/NetworkManager.conf and reload it",
  ];
}
