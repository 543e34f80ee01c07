import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory } from "./cache-directory.mjs";
import { holdFile } from "./held-file.mjs";
import { missingPackages } from "./package-status.mjs";
import { runQuietly } from "./run-command.mjs";

/** What the lab and the tests run from Debian. */
const PACKAGES = [
  // The fabric: routers, switches and what looks at them.
  ...["frr", "gobgpd", "iproute2", "iputils-ping", "ethtool", "tcpdump", "tshark"],
  // The nodes: containers, kube-proxy's and kubelet's helpers.
  ...["containerd", "runc", "containernetworking-plugins", "conntrack", "socat", "nftables", "iptables", "kmod"],
  // The agent's image is made of these programs.
  ...["busybox-static", "dash", "procps"],
  // The virtual machine with another kernel, which has IPVS.
  ...["qemu-system-x86", "qemu-system-common", "cpio", "ipvsadm"],
  // What the rest calls.
  ...["openssl", "curl", "ca-certificates", "util-linux"],
];

/** Packages that bring a service; the lab starts its own copies and wants none of these. */
const SERVICES = ["frr", "gobgpd", "containerd"];

const POLICY_FILE = "/usr/sbin/policy-rc.d";

/** Package scripts ask this file before they start a service; 101 means "not allowed" (invoke-rc.d, README.policy-rc.d). */
const POLICY =
  "#!/bin/sh\n# Of the set-up of pulumi-vlan-router, which removes it when its packages are installed.\nexit 101\n";

/** How long apt may wait for another apt that holds its lock, in seconds. */
const APT_LOCK_TIMEOUT = 300;

/**
 * Installs the Debian packages that are missing, without starting or enabling their services.
 *
 * @param {import("./progress.mjs").Progress} progress
 * @throws on a machine without Debian's package tools, or when apt fails
 */
export async function ensureDebianPackages(progress) {
  const missing = missingPackages(PACKAGES, packageStatus());
  if (missing.length === 0) return;
  await apt(progress, "reading the package lists of Debian", ["update"]);
  const release = forbidServices();
  try {
    progress.note(`missing Debian packages: ${missing.join(" ")}`);
    await apt(progress, `installing ${missing.length} Debian packages`, [
      "install",
      "--yes",
      "--no-install-recommends",
      // Rather stop than take something away from the machine.
      "--no-remove",
      ...missing,
    ]);
  } finally {
    release();
  }
  disableServices(SERVICES.filter((service) => missing.includes(service)));
}

function packageStatus() {
  // Fails when one of the names is unknown; what it prints about the others still counts.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: these are dpkg-query's own placeholders
  const query = ["--show", "--showformat=${db:Status-Status} ${Package}\\n", ...PACKAGES];
  const { stdout, error } = spawnSync("dpkg-query", query, { encoding: "utf8" });
  if (error !== undefined) {
    throw new Error(
      `Debian's package tools are missing (${error.message}): the lab runs on Debian 12, or a system made of its packages. ` +
        `It needs ${PACKAGES.join(", ")}.`,
    );
  }
  return stdout;
}

/**
 * @param {import("./progress.mjs").Progress} progress
 * @param {string} what
 * @param {readonly string[]} args
 */
function apt(progress, what, args) {
  return progress.step(what, (detail) =>
    runQuietly({
      program: "apt-get",
      arguments: ["--quiet", "-o", `DPkg::Lock::Timeout=${APT_LOCK_TIMEOUT}`, ...args],
      environment: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      logFile: join(cacheDirectory(), "logs", `apt-get-${args[0]}.log`),
      detail,
    }),
  );
}

/**
 * Forbids package scripts to start services. Where the machine has a policy of its own, that one holds.
 *
 * @returns {() => void} takes the ban back
 */
function forbidServices() {
  // Ours may be left over from a run that was killed.
  const foreign = existsSync(POLICY_FILE) && readFileSync(POLICY_FILE, "utf8") !== POLICY;
  if (foreign) return () => {};
  return holdFile(POLICY_FILE, POLICY, 0o755);
}

/**
 * Without this they would start when the machine starts next.
 *
 * @param {readonly string[]} services
 */
function disableServices(services) {
  if (services.length === 0 || !existsSync("/run/systemd/system")) return;
  execFileSync("systemctl", ["disable", "--quiet", ...services], { stdio: "ignore" });
}
