/** The machine's cgroup hierarchies, as far as nodes use them. */
export type CgroupMounts =
  | { readonly kind: "v1"; readonly hierarchies: readonly CgroupHierarchy[] }
  | { readonly kind: "v2"; readonly path: string };

export interface CgroupHierarchy {
  readonly path: string;
  /** What selects this hierarchy when it is mounted once more: its controllers or its name. */
  readonly options: string;
}

/** Mount options that say nothing about which hierarchy it is. */
const GENERIC_OPTIONS = new Set([
  "rw",
  "ro",
  "relatime",
  "noatime",
  "nosuid",
  "nodev",
  "noexec",
  "xattr",
  "clone_children",
]);

/** Without these the kubelet refuses to start on cgroup v1 (opencontainers/cgroups, `fs` manager). */
const REQUIRED_CONTROLLERS = ["cpu", "cpuacct", "cpuset", "devices", "memory", "pids"];

const PLACE = "/sys/fs/cgroup";

/**
 * Reads /proc/mounts. A "hybrid" machine (cgroup v1 with a cgroup2 mount that has no controllers) counts as v1.
 *
 * @throws when the machine has neither
 */
export function parseCgroupMounts(procMounts: string): CgroupMounts {
  const mounts = procMounts
    .split("\n")
    .map((line) => line.split(" "))
    .map(([, path = "", type = "", options = ""]) => ({ path, type, options }));
  if (mounts.some(({ path, type }) => path === PLACE && type === "cgroup2")) return { kind: "v2", path: PLACE };

  const hierarchies = mounts
    .filter(({ path, type }) => type === "cgroup" && path.startsWith(`${PLACE}/`))
    .map(({ path, options }) => ({ path, options: hierarchyOptions(options) }));
  const controllers = hierarchies.flatMap(({ options }) => options.split(","));
  const missing = REQUIRED_CONTROLLERS.filter((controller) => !controllers.includes(controller));
  if (missing.length > 0)
    throw new Error(
      `no cgroup hierarchy below ${PLACE} has the controllers ${missing.join(", ")}, which a Kubernetes node needs: ` +
        "run the lab where cgroups are mounted (a privileged container with the machine's cgroup namespace)",
    );
  return { kind: "v1", hierarchies };
}

function hierarchyOptions(mountOptions: string): string {
  const options = mountOptions
    .split(",")
    .filter((option) => !GENERIC_OPTIONS.has(option) && !option.startsWith("release_agent="));
  // A hierarchy without controllers must be told so (cgroups(7), "cgroups version 1").
  return options.every((option) => option.startsWith("name=")) ? ["none", ...options].join(",") : options.join(",");
}
