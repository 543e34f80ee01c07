import { readSysctl } from "./sysctl.js";

/** net.ipv4.conf arp_ignore as it counts for an interface: the larger of its own and that of `all` (ip-sysctl.rst). */
export function arpIgnore(sysctlRoot: string, device: string): number {
  // A dot inside an interface's name is written as a slash (sysctl(8)).
  const values = ["all", device.replaceAll(".", "/")].map((name) =>
    Number(readSysctl(sysctlRoot, `net.ipv4.conf.${name}.arp_ignore`) ?? 0),
  );
  return Math.max(...values);
}
